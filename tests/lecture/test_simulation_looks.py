"""Colours of a simulation, what it begins with, and what it says to who gets a setting wrong."""

import re
from functools import cache
from typing import Any

import pytest

from boundkit.lecture.page_data import PRESETS, run_of
from boundkit.lecture.site import causes_css
from tests.lecture.simulating import ASSETS, Simulation


@cache
def page() -> Simulation:
    return Simulation()


def test_a_simulation_has_no_colours_of_its_own() -> None:
    css = (ASSETS / "lecture.css").read_text()
    rest = css.partition("}")[2]
    assert re.findall(r": *#[0-9a-fA-F]{3,8};|rgba?\(|hsl", rest.replace("#FFFFFF", "")) == []
    named = set(re.findall(r"var\((--[a-z0-9-]+)", css)) - {"--colour", "--shape"}  # set in the page
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
