"""One look for each algorithm, and looks that everybody can tell apart."""

from itertools import combinations, product

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.figures.algorithm_styles import LOOKS, SAME, look
from boundkit.figures.cause_styles import text_colour
from boundkit.figures.style import PRESETS
from boundkit.simulation.algorithms import algorithm_class
from tests.figures.test_cause_styles import APART, SIGHT, contrast, lab, linear


@pytest.mark.parametrize(("dark", "sight"), list(product([False, True], SIGHT)))
def test_colours_stay_apart(dark: bool, sight: str) -> None:
    seen = {name: lab(SIGHT[sight] @ linear(found.colour(dark))) for name, found in LOOKS.items()}
    distances = {(a, b): float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(seen, 2)}
    closest = min(distances, key=lambda pair: distances[pair])
    assert distances[closest] >= APART, closest


@pytest.mark.parametrize("name", LOOKS)
def test_lines_and_words_can_be_read_on_their_ground(name: str) -> None:
    for dark, ground, ink in (
        (False, "#FFFFFF", "#1B1F24"),
        (True, PRESETS["dark"]["axes.facecolor"], "#F3F4F6"),
    ):
        assert contrast(look(name).colour(dark), ground) >= 3
        assert contrast(text_colour(look(name).colour(dark), ink), ground) >= 4.5


def test_grey_paper_tells_algorithms_apart_by_dashes_and_markers() -> None:
    for part in ("dashes", "marker", "title"):
        assert len({getattr(found, part) for found in LOOKS.values()}) == len(LOOKS), part


@pytest.mark.parametrize("name", [*LOOKS, *SAME, *SAME.values()])
def test_every_look_is_that_of_an_algorithm_that_runs(name: str) -> None:
    assert algorithm_class(name).name == name
    assert look(name).title


def test_an_algorithm_without_a_look_is_refused_with_its_neighbours() -> None:
    with pytest.raises(BoundkitError, match="'fedvarpp'; did you mean 'fedvarp'"):
        look("fedvarpp")
