"""The names that ``import boundkit`` offers; here because they answer what the commands answer."""

from __future__ import annotations

from importlib.metadata import version

import pytest

import boundkit as bk
from boundkit.cli.program import run


def test_names_and_values_are_alike() -> None:
    value = bk.theorem("sgd_nonconvex")
    assert bk.predict("sgd_nonconvex", eta=0.1).total == bk.predict(value, eta=0.1).total
    assert bk.tune("sgd_nonconvex").bound == bk.tune(value).bound
    assert bk.rounds_to("sgd_nonconvex", 0.1, eta=0.1).rounds == bk.rounds_to(value, 0.1, eta=0.1).rounds
    assert bk.rate("sgd_nonconvex", eta="1/L").slowest == bk.rate(value, eta="1/L").slowest


def test_an_unknown_name_has_neighbours() -> None:
    with pytest.raises(bk.BoundkitError, match="did you mean 'sgd_nonconvex'"):
        bk.predict("sgd_nonconvx")
    with pytest.raises(bk.BoundkitError, match="a theorem is needed"):
        bk.predict(3)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bk.nothing  # noqa: B018


def test_every_name_is_there() -> None:
    assert dir(bk) == sorted(bk.__all__) == sorted({*bk._HOMES, *bk._HOMES_BY_NAME})
    for name in bk.__all__:
        assert getattr(bk, name) is not None


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert bk.__version__ == version("boundkit")
    assert (run(["--version"]), capsys.readouterr().out) == (0, f"{bk.__version__}\n")
