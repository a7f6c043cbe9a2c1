"""The gallery: every figure has its maker, and reads no option that the command does not have."""

from importlib import import_module
from inspect import signature

import pytest

from boundkit.algebra import BoundkitError
from boundkit.cli import figure
from boundkit.cli.gallery.asked import Asked
from boundkit.figures.gallery import GALLERY, check_options, known


@pytest.mark.parametrize("name", GALLERY)
def test_every_figure_has_a_maker_that_asks_for_options_that_are_there(name: str) -> None:
    assert list(signature(import_module(f"boundkit.cli.gallery.{name}").make).parameters) == ["asked"]
    there = {parameter.removesuffix("_file") for parameter in signature(figure.run).parameters}
    assert set(GALLERY[name].options) <= there
    assert known(name) == name


def test_an_option_that_is_not_read_is_refused_by_name_and_one_that_is_read_is_not() -> None:
    check_options("bound_against_run", ["run", "seed", "out", "preset"])
    with pytest.raises(BoundkitError, match=r"^--seed was given, but terms takes no --run, .*no --seed"):
        check_options("terms", ["out", "seed"])


def test_words_are_names_until_the_first_value() -> None:
    asked = Asked("compare", ("one", "other", "T=10", "tau"), "hall")
    assert asked.names == ("one", "other")
    assert asked.values == ["T=10", "tau"]
