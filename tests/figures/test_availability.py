"""Chances that move, and distances under them, as their record has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from boundkit.figures.availability import ALGORITHMS, ENDS, LOWEST, figure
from boundkit.figures.looks import algorithm_look
from boundkit.simulation.participation.availability import DYNAMICS
from tests.cases import each
from tests.figures.pictures import line, names, same, words
from tests.figures.recorded import page_of, record_of

RECORD = record_of("availability")


def holding(page: Figure, name: str) -> Axes:
    (axes,) = (axes for axes in page.axes if name in names(axes))
    return axes


@each("preset", ["hall", "dark"])
def test_the_curves_are_those_of_the_record(preset: str) -> None:
    page = page_of("availability", preset)
    of_chances, of_paths = (np.array(RECORD.columns[f"{table} dynamics"]) for table in ("chances", "paths"))
    whose = np.array(RECORD.columns["paths algorithm"])
    for kind in DYNAMICS:
        for end in ENDS:
            chance = line(holding(page, f"chance {kind} {end}"), f"chance {kind} {end}")
            assert same(chance.get_xdata(), RECORD.array("chances round")[of_chances == kind])
            assert same(chance.get_ydata(), RECORD.array(f"chances {end}")[of_chances == kind])
        for algorithm in ALGORITHMS:
            name, rows = f"distance {kind} {algorithm}", (of_paths == kind) & (whose == algorithm)
            path = line(holding(page, name), name)
            assert same(path.get_xdata(), RECORD.array("paths round")[rows])
            assert same(path.get_ydata(), RECORD.array("paths distance")[rows].clip(min=LOWEST / 10))
            assert same_color(path.get_color(), algorithm_look(algorithm).colour(preset == "dark"))
        settled = line(holding(page, f"settles {kind}"), f"settles {kind}")
        assert same(settled.get_ydata(), [RECORD.values[f"settles {kind}"]] * 2)


def test_panels_of_a_row_share_their_heights() -> None:
    page = page_of("availability")
    above = {axes.get_ylim() for axes in page.axes[:4]}
    below = {axes.get_ylim() for axes in page.axes[4:]}
    assert len(above) == len(below) == 1


def test_the_headline_has_the_biases() -> None:
    biases = [RECORD.values[f"settles {kind}"] for kind in DYNAMICS]
    assert f"by {min(biases):.2g} to {max(biases):.2g} in the square" in words(page_of("availability"))


def test_the_headline_has_the_upper_ends_of_the_intervals() -> None:
    whose = RECORD.columns["ends algorithm"]
    ends = {"fedavg": (0.1, 0.0), "fedau": (0.004, 0.001), "fedawe": (0.0128, 0.0043), "mifa": (3e-7, 5e-8)}
    columns = {
        **RECORD.columns,
        "ends distance": [ends[name][0] for name in whose],
        "ends margin": [ends[name][1] for name in whose],
    }
    said = words(figure(replace(RECORD, columns=columns)))
    assert "FedAU and FedAWE keep 0.018 or less in the mean of a period, MIFA 3.5×10⁻⁷" in said
    nothing = {**columns, "ends distance": [0.0] * len(whose), "ends margin": [0.0] * len(whose)}
    assert "FedAWE keep 0 or less in the mean of a period, MIFA 0" in words(
        figure(replace(RECORD, columns=nothing))
    )
