"""One look for each algorithm, and looks that everybody can tell apart."""

import pytest

from boundkit.algebra import BoundkitError
from boundkit.figures.algorithm_styles import LOOKS, SAME, look
from boundkit.simulation.algorithms import algorithm_class
from tests.figures.test_cause_styles import APART, SIGHT, closest, unreadable


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stay_apart_and_can_be_read(dark: bool) -> None:
    colours = {name: style.colour(dark) for name, style in LOOKS.items()}
    for sight in SIGHT:
        assert closest(colours, sight)[0] >= APART, closest(colours, sight)
    assert unreadable(colours, dark) == []


def test_grey_paper_tells_algorithms_apart_by_dashes_and_markers() -> None:
    for part in ("dashes", "marker", "title"):
        assert len({getattr(style, part) for style in LOOKS.values()}) == len(LOOKS), part


def test_every_look_is_that_of_an_algorithm_that_runs() -> None:
    for name in (*LOOKS, *SAME, *SAME.values()):
        assert algorithm_class(name).name == name
        assert look(name).title, name


def test_an_algorithm_without_a_look_is_refused_with_its_neighbours() -> None:
    with pytest.raises(BoundkitError, match="'fedvarpp'; did you mean 'fedvarp'"):
        look("fedvarpp")
