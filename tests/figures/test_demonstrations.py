"""The figures of demonstrations: their curves are the kept records, and their headlines say its numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from boundkit.cli.gallery.makers import DEMONSTRATIONS
from boundkit.figures import availability, client_drift, clipping, cyclic, fedexp_step, power_of_choice
from boundkit.figures import partial_participation as participation
from boundkit.figures.cyclic import DRAWN, ORDERED, SAMPLED, TURNS
from boundkit.figures.gallery import GALLERY, RECORDED
from boundkit.figures.number_format import number
from boundkit.figures.style import algorithm_style, colour
from boundkit.figures.surrogate_paths import ALGORITHMS
from boundkit.simulation.participation.availability import DYNAMICS
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.verification.tabular_result import TabularResult
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, drawn, line, names, outside, overlaps, same, words

RECORDS = Path(__file__).resolve().parents[2] / "examples" / "records"


@cache
def record_of(figure: str) -> TabularResult:
    return read_demonstration(RECORDS / f"{DEMONSTRATIONS[figure]}.json")


@cache
def page_of(figure: str, preset: str = "paper") -> Figure:
    return drawn(import_module(f"boundkit.figures.{figure}").figure(record_of(figure), preset))


def holding(page: Figure, name: str) -> Axes:
    (axes,) = (axes for axes in page.axes if name in names(axes))
    return axes


def said(page: Figure) -> str:
    return words(page).replace("\N{NBSP}", " ")


def changed(record: TabularResult, **columns: Any) -> TabularResult:
    return replace(record, columns={**record.columns, **columns})


@each("figure", DEMONSTRATIONS)
@each("preset", thinned(LAYOUTS, 1))
def test_texts_are_on_the_page_and_not_on_each_other(figure: str, preset: str) -> None:
    assert GALLERY[figure].options == RECORDED
    page = page_of(figure, preset)
    assert outside(page) == [], preset
    assert overlaps(page) == [], preset


@each("preset", ["paper", "dark"])
def test_availability_draws_chances_and_distances_in_the_colours_of_their_algorithms(preset: str) -> None:
    page = import_module("boundkit.figures.availability").figure(record_of("availability"), preset)
    record = record_of("availability")
    of_chances, of_paths = (np.array(record.columns[f"{table} dynamics"]) for table in ("chances", "paths"))
    whose = np.array(record.columns["paths algorithm"])
    for kind in DYNAMICS:
        for end in availability.ENDS:
            chance = line(holding(page, f"chance {kind} {end}"), f"chance {kind} {end}")
            assert same(chance.get_xdata(), record.array("chances round")[of_chances == kind])
            assert same(chance.get_ydata(), record.array(f"chances {end}")[of_chances == kind])
        for algorithm in availability.ALGORITHMS:
            name, rows = f"distance {kind} {algorithm}", (of_paths == kind) & (whose == algorithm)
            path = line(holding(page, name), name)
            assert same(path.get_xdata(), record.array("paths round")[rows])
            assert same(path.get_ydata(), record.array("paths distance")[rows].clip(availability.LOWEST / 10))
            assert same_color(path.get_color(), algorithm_style(algorithm).colour(preset == "dark"))
        settled = line(holding(page, f"settles {kind}"), f"settles {kind}")
        assert same(settled.get_ydata(), [record.values[f"settles {kind}"]] * 2)
    for prefix in ("chance", "distance"):  # panels of a row share their heights
        panels = [a for a in page.axes if any(name.startswith(prefix) for name in names(a))]
        assert len({axes.get_ylim() for axes in panels}) == 1


@each("preset", ["paper", "dark"])
def test_cyclic_draws_each_part_in_the_colour_of_its_cause(preset: str) -> None:
    record, (paths, long_run) = record_of("cyclic"), page_of("cyclic", preset).axes
    assert same(line(paths, DRAWN).get_ydata(), record.array("path_drawn"))
    assert same(line(paths, TURNS).get_ydata(), record.array("path_in_turns"))
    assert same(line(paths, "ends").get_ydata(), record.array("path_in_turns")[::3])
    spread, bias = record.array("spread"), record.array("bias_squared")
    spread_name, bias_name = "turns: spread", "turns: bias$^2$"
    drawn_values = record.array("drawn")
    for name, values in (
        (DRAWN, drawn_values), (TURNS, spread + bias), (spread_name, spread), (bias_name, bias)
    ):  # fmt: skip
        assert same(line(long_run, name).get_ydata(), values)
        assert same(line(long_run, name).get_xdata(), record.array("eta"))
    for name, cause in ((DRAWN, SAMPLED), (spread_name, SAMPLED), (bias_name, ORDERED)):
        assert same_color(line(long_run, name).get_color(), colour(cause, preset == "dark"))
    assert line(long_run, DRAWN).get_marker() != line(long_run, spread_name).get_marker()


def test_the_headline_of_cyclic_says_where_turns_win_and_where_they_lose() -> None:
    record = record_of("cyclic")
    assert r"At $\eta$ = 0.1 groups in turn end at 0.025, draws from all at 0.051" in said(page_of("cyclic"))
    assert r"from $\eta$ = 0.5 on turns end higher" in said(page_of("cyclic"))
    assert "end higher" not in said(cyclic.figure(changed(record, drawn=list(2 * record.array("drawn")))))


def test_fedexp_step_draws_steps_above_gaps_and_the_last_iterate_as_points() -> None:
    record, page = record_of("fedexp_step"), page_of("fedexp_step")
    for name in fedexp_step.TITLES:
        (above,) = [
            axes for axes in page.axes if "step fedexp" in names(axes)
            and same(line(axes, "step fedexp").get_ydata(), record.columns[f"step {name}"])
        ]  # fmt: skip
        assert set(np.asarray(line(above, "step fedavg").get_ydata())) == {1.0}
        (below,) = [
            axes for axes in page.axes if "gap fedexp" in names(axes)
            and same(line(axes, "gap fedexp").get_ydata(), record.columns[f"fedexp {name}"])
        ]  # fmt: skip
        for gap in fedexp_step.GAPS:
            assert same(line(below, f"gap {gap}").get_ydata(), record.columns[f"{gap} {name}"])
            assert same(line(below, f"gap {gap}").get_xdata(), record.columns["rounds"])
        widths = {gap: line(below, f"gap {gap}").get_linewidth() for gap in fedexp_step.GAPS}
        assert line(below, "gap fedexp").get_marker() == "o"
        assert widths["fedexp"] < widths["fedavg"] == widths["fedexp_mean"]
    assert {axes.get_yscale() for axes in page.axes} == {axes.get_xscale() for axes in page.axes} == {"log"}
    assert len({axes.get_ylim() for axes in page.axes if "step fedexp" in names(axes)}) == 1


def points(record: TabularResult, field: str, who: str) -> list[Any]:
    columns = (record.columns[f"{field} {part}"] for part in ("who", "x1", "x2"))
    return [(x, y) for name, x, y in zip(*columns, strict=True) if name == who]


def test_client_drift_draws_paths_whose_dashes_tell_clients_apart_and_says_how_far() -> None:
    record, page = record_of("client_drift"), page_of("client_drift")
    for axes, field in zip(page.axes, ("few", "many"), strict=True):
        walks = [f"{client} from {where}" for client in client_drift.CLIENTS for where in ("start", "rest")]
        for who in ("server", *walks):
            assert same(line(axes, who).get_xydata(), points(record, field, who))
    many = page.axes[1]
    away = np.subtract(line(many, "rest").get_xydata(), line(many, "optimum").get_xydata())
    assert np.linalg.norm(away) == pytest.approx(record.values["distance_many"])
    assert same(line(many, "fixed points").get_xdata(), record.columns["settled x1"])
    dashes = {line(many, f"{client} from rest").get_linestyle() for client in client_drift.CLIENTS}
    assert len(dashes) == len(client_drift.CLIENTS)
    text = said(client_drift.figure(record))
    for part in ("FedAvg settles at $x^*$ with 1 local step, 1.02 from $x^*$ with 20",
                 r"$\eta$ = 0.2 and 240 gradients a client in both, so that $\tau$ alone differs",
                 "20 steps settle 0.061", "240 rounds", "12 rounds"):  # fmt: skip
        assert part in text
    both = replace(record, values={**record.values, "tau_few": 5, "distance_few": 0.272})
    assert "FedAvg settles 0.272 from $x^*$ with 5 local steps" in words(client_drift.figure(both))
    assert words(client_drift.figure(both)).count("fixed point\n") == 2


def test_surrogate_paths_draws_four_algorithms_and_names_each_with_its_distance() -> None:
    record, page = record_of("surrogate_paths"), page_of("surrogate_paths", "hall")
    for name, x, y, distance in zip(
        *(record.columns[f"ends {part}"] for part in ("algorithm", "x1", "x2", "distance")), strict=True
    ):
        look = algorithm_style(str(name))
        for axes in page.axes:
            assert same(line(axes, f"path {name}").get_xydata(), points(record, "paths", str(name)))
            assert same(line(axes, f"fixed point {name}").get_xydata(), [(x, y)])
            assert line(axes, f"fixed point {name}").get_marker() == look.marker
        assert f"{look.title}\n" in words(page)
        assert number(distance) in words(page)
    assert set(ALGORITHMS) == set(record.columns["ends algorithm"])
    whole, close = page.axes
    assert "enlarged" in names(whole)
    assert np.ptp(close.get_xlim()) < np.ptp(whole.get_xlim()) / 2
    for part in ("2, 5 and 9 local steps", "optimum of the surrogate", "0.125, 0.312, 0.562"):
        assert part in words(page)


def test_partial_participation_draws_paths_and_floors_with_the_formula_through_them() -> None:
    record, page = record_of("partial_participation"), page_of("partial_participation")
    paths, floors = page.axes
    for name in ("fedavg", "fedvarp", participation.EVERYBODY):
        path = record.array(f"paths {name}")[: participation.ROUNDS + 1]
        shown = np.where(path >= participation.LOWEST, path, np.nan)
        assert same(line(paths, f"path {name}").get_ydata(), shown)
    share = record.array("coming") / 6
    for name in ("fedavg", "fedvarp"):
        dots = line(floors, f"floors {name}")
        assert same(dots.get_ydata(), record.array(f"floors_with {name}"))
        assert same(dots.get_xdata(), share)
        assert dots.get_marker() == algorithm_style(name).marker
    along, curve = np.asarray(line(floors, "formula").get_data(), dtype=float)
    np.testing.assert_allclose(
        np.interp(share, along, curve), record.array("formula_with"), atol=1e-3 * curve[0]
    )
    assert same(curve[-1], 0)
    text = said(participation.figure(record))
    assert f"With 2 of 6 clients a round FedAvg stays at {record.array('floors fedavg')[-1]:.2g}" in text
    assert "$C$ = 1/3" in text
    ticks = [tick.get_text() for tick in floors.get_xticklabels()]
    assert ticks == ["1/6", "1/3", "1/2", "2/3", "5/6", "1"]


def test_power_of_choice_draws_gaps_the_darker_the_more_candidates_and_floors_with_their_bound() -> None:
    """The bound is the term that stays, L Gamma (rho_tilde - rho_bar)/(mu (1 + 3 rho_bar/4))."""
    record, page = record_of("power_of_choice"), page_of("power_of_choice", "hall")
    ways = [name for name in record.columns if name.startswith("gaps ")]
    axes = holding(page, "gaps drawn by p")
    lines = [line(axes, name) for name in ways]
    for seen, name in zip(lines, ways, strict=True):
        assert same(seen.get_ydata(), record.array(name))
        assert same(seen.get_xdata(), record.array("rounds"))
    assert [one.get_linestyle() for one in lines] == ["--", *["-"] * (len(ways) - 1)]
    brightness = [sum(int(str(one.get_color())[k : k + 2], 16) for k in (1, 3, 5)) for one in lines[1:]]
    assert brightness == sorted(brightness, reverse=True)
    assert same(line(holding(page, "floor"), "floor").get_ydata(), record.array("by_candidates floor"))
    for name in ("rho_bar", "rho_tilde"):
        assert same(line(holding(page, name), name).get_ydata(), record.array(f"by_candidates {name}"))
        assert same(line(holding(page, name), name).get_xdata(), [2, 3, 4, 5, 6, 7])
    low, high = record.array("by_candidates rho_bar"), record.array("by_candidates rho_tilde")
    values, bounds = record.values, power_of_choice.bounds(record)
    stays = values["L"] * values["Gamma"] * (high - low) / (values["mu"] * (1 + 3 * low / 4))
    np.testing.assert_allclose(bounds, stays, rtol=1e-12)
    assert same(line(holding(page, "floor"), "bound").get_ydata(), bounds)
    first, last = (record.array(name)[10] for name in (ways[0], ways[-1]))
    assert f"All 7 as candidates: {first / last:.2g} times lower than draws by p after 250" in words(page)
    assert f"a floor of {number(record.array('by_candidates floor')[-1], 3)} stays" in words(page)


def test_clipping_draws_points_that_were_run_with_gaps_and_says_which_is_faster_where() -> None:
    record, page = record_of("clipping"), page_of("clipping")
    (axes,) = page.axes
    for column in ("best", "bound", "episodepp"):
        assert same(line(axes, column).get_xdata(), record.array("grad_max"))
        assert same(line(axes, column).get_ydata(), record.array(column))
    assert line(axes, "best").get_linestyle() == "None"  # what lies between was not run
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["4", "8", "16", "32", "64"]
    assert line(axes, "best").get_marker() != line(axes, "episodepp").get_marker()
    best = record.array("best")
    assert f"{best[0]:.0f} to {best[-1]:.0f} rounds, EPISODE++ 700 throughout" in said(page)
    for rounds, sentence in (
        ([690.0, 700.0, 700.0, 700.0, 710.0], "EPISODE++ 690 to 710 throughout"),
        ([700.0] * 5, "the first is the faster up to $M$ = 32"),
        ([2000.0] * 5, "the first is always the faster"),
        ([100.0] * 5, "the first is never the faster"),
        ([100.0, 700.0, 300.0, 700.0, 300.0], "the first is the faster at $M$ = 8, 32"),
    ):
        assert sentence in said(clipping.figure(changed(record, episodepp=rounds)))
    (axes,) = clipping.figure(changed(record, best=[168.0, None, 404.0, 674.0, 1155.0])).axes
    assert np.isnan(line(axes, "best").get_ydata()).tolist() == [False, True, False, False, False]
