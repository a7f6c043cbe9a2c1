"""Colours of a simulation, what it begins with, and what it says to who gets a setting wrong."""

import re
from functools import cache
from typing import Any

import pytest

from boundkit.lecture.page_data import PRESETS, run_of
from boundkit.lecture.site import causes_css
from tests.cases import each
from tests.lecture.simulating import ASSETS, Simulation


@cache
def page() -> Simulation:
    return Simulation()


def test_a_simulation_has_no_colours_of_its_own() -> None:
    css = (ASSETS / "lecture.css").read_text()
    rest = css.partition("}")[2]
    assert re.findall(r": *#[0-9a-fA-F]{3,8};|rgba?\(|hsl", rest.replace("#FFFFFF", "")) == []
    named = set(re.findall(r"var\((--[a-z0-9-]+)", css)) - {"--colour"}  # set in the page
    assert sorted(name for name in named if f"{name}: " not in causes_css() + css) == []


@pytest.mark.parametrize("settings", PRESETS.values(), ids=PRESETS)
def test_a_preset_begins_within_its_own_sliders(settings: dict[str, Any]) -> None:
    run, ends = run_of(settings), settings["controls"]
    assert ends["eta"][0] <= run["eta"] <= ends["eta"][1]
    assert ends["rounds"][0] <= run["rounds"] <= ends["rounds"][1]
    assert ends["sigma"][0] <= run.get("noise", 0) <= ends["sigma"][1]
    steps = run["local_steps"]
    assert all(
        ends["tau"][0] <= tau <= ends["tau"][1] for tau in (steps if isinstance(steps, list) else [steps])
    )
    assert 0 <= settings["at"] <= run["rounds"]
    assert settings["title"].endswith(".")
    assert len(settings.get("first", ["eta", "tau"])) in (2, 3)


@each(
    ("algorithm", "change", "sentence"),
    [
        ("fedadam", {}, 'the algorithm "fedadam" is not simulated here'),
        ("fedavg", {"eta": 0}, "eta must be a number above 0, but it is 0."),
        ("fedavg", {"eta": "0.1"}, "eta must be a number above 0"),
        ("fedavg", {"noise": -1}, "noise must be a number that is at least 0"),
        ("fedavg", {"rounds": 2.5}, "rounds must be a whole number from 1"),
        ("fedavg", {"local_steps": [1, 2]}, "local_steps must be one number, 3 numbers"),
        ("fedavg", {"x0": [1, 2, 3]}, "x0 must be 2 numbers."),
        ("fedavg", {"participation": {"kind": "uniform", "C": 0.5}}, "C m must be a whole number from 1"),
        ("fedavg", {"participation": {"kind": "markov"}}, 'participation "markov" is not simulated here'),
        ("fedavg", {"schedule": [[0, 3]]}, "schedule[0] must hold clients 0 to 2"),
        ("fedavg", {"options": {"momentum": 0.9}}, "fedavg has no option momentum here"),
        ("fedavg", {"options": {"aggregation": "known"}}, "needs the option probabilities"),
        ("minibatch_sgd", {}, "local_steps must be 1; for more, use fedavg."),
        ("fedavg", {"problem": {"H": [[1, 0]], "e": [[0, 0]]}, "x0": [0, 0]}, "no unique minimum"),
        ("fedavg", {"problem": {"H": [[[1, 2], [0, 1]]], "e": [[0, 0]]}, "x0": [0, 0]}, "is not symmetric"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_a_sentence(algorithm: str, change: dict[str, Any], sentence: str) -> None:
    run = run_of(PRESETS["equal_hessians"]) | change
    words = "{ try { s.prepare(g[0], g[1]); return null; } catch (error) { return error.message; } }"
    told = page().ask(words, algorithm, run)
    assert sentence in told
    assert told.endswith(".")
