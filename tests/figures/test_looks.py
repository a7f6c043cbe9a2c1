"""One look for each cause, and looks that everybody can tell apart."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from boundkit.algebra import BoundkitError
from boundkit.algebra.term import CAUSES
from boundkit.figures.looks import (
    ALGORITHM_LOOKS,
    CAUSE_LOOKS,
    SAME_LOOK,
    algorithm_look,
    cause_look,
    colour,
    text_colour,
)
from boundkit.figures.style import PRESETS
from boundkit.simulation.algorithms import algorithm_class
from boundkit.simulation.arrays import Array
from tests.cases import each

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT: dict[str, Array] = {
    "all cones": np.eye(3),
    "no long cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no middle cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no short cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
APART = 17.0
"""What Okabe and Ito keep between blue, orange, green, purple and vermillion, in CIE 1976."""


def linear(colour: str) -> Array:
    c = np.array(to_rgb(colour))
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: Array) -> Array:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one: str, other: str) -> float:
    """As WCAG measures it."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_every_cause_has_a_look_and_nothing_else_has() -> None:
    assert list(CAUSE_LOOKS) == list(CAUSES)


def closest(colours: dict[str, str], sight: str) -> tuple[float, str, str]:
    """The two colours that are nearest to each other for this sight, and their distance."""
    seen = {name: lab(SIGHT[sight] @ linear(colour)) for name, colour in colours.items()}
    return min((float(np.linalg.norm(seen[a] - seen[b])), a, b) for a, b in combinations(seen, 2))


def unreadable(colours: dict[str, str], dark: bool) -> list[str]:
    """Lines and texts without enough contrast to their ground."""
    ground, ink = (PRESETS["dark"]["axes.facecolor"], "#F3F4F6") if dark else ("#FFFFFF", "#1B1F24")
    return [
        name
        for name, colour in colours.items()
        if contrast(colour, ground) < 3 or contrast(text_colour(colour, ink), ground) < 4.5
    ]


@each("dark", [False, True])
def test_colours_of_causes_stay_apart_and_can_be_read(dark: bool) -> None:
    colours = {cause: colour(cause, dark) for cause in CAUSES}
    for sight in SIGHT:
        assert closest(colours, sight)[0] >= APART, closest(colours, sight)
    assert unreadable(colours, dark) == []


def test_grey_paper_tells_causes_apart_by_dashes_and_hatches() -> None:
    assert len({cause_look(cause).dashes for cause in CAUSES}) == len(CAUSES)
    assert len({cause_look(cause).hatch for cause in CAUSES}) == len(CAUSES)


def test_a_cause_without_a_look_is_refused_with_its_neighbours() -> None:
    with pytest.raises(BoundkitError, match="unknown cause 'client drifts'; did you mean 'client drift'"):
        cause_look("client drifts")


@each("dark", [False, True])
def test_colours_of_algorithms_stay_apart_and_can_be_read(dark: bool) -> None:
    colours = {name: style.colour(dark) for name, style in ALGORITHM_LOOKS.items()}
    for sight in SIGHT:
        assert closest(colours, sight)[0] >= APART, closest(colours, sight)
    assert unreadable(colours, dark) == []


def test_grey_paper_tells_algorithms_apart_by_dashes_and_markers() -> None:
    for part in ("dashes", "marker", "title"):
        assert len({getattr(style, part) for style in ALGORITHM_LOOKS.values()}) == len(ALGORITHM_LOOKS), part


def test_every_look_is_that_of_an_algorithm_that_runs() -> None:
    for name in (*ALGORITHM_LOOKS, *SAME_LOOK, *SAME_LOOK.values()):
        assert algorithm_class(name).name == name
        assert algorithm_look(name).title, name


def test_an_algorithm_without_a_look_is_refused_with_its_neighbours() -> None:
    with pytest.raises(BoundkitError, match="'fedvarpp'; did you mean 'fedvarp'"):
        algorithm_look("fedvarpp")
