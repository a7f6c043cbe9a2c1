"""The bound beside the run, as the page computes it, against the verdict of Python on the same run."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from boundkit.analysis.export import export
from boundkit.lecture.page_data import PRESETS, claim_of, run_of
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import theorem
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.cases import each
from tests.lecture.simulating import Simulation

INSIDE = {
    "equal_hessians": {"eta": 0.03, "local_steps": 4, "noise": 1.0},
    "unequal_hessians": {"eta": 0.004, "local_steps": 5},
    "two_clients": {"eta": 0.01, "noise": 0.7},
    "unequal_steps": {"eta": 0.005},
    "partial_participation": {},
    "fedvarp": {"eta": 0.002, "noise": 0.7},
}
"""Presets with a theorem, moved inside its condition on the step."""


@cache
def page(name: str) -> Simulation:
    return Simulation(export(theorem(name), "javascript"))


def bound(algorithm: str, run: dict[str, Any], claim: dict[str, Any]) -> Any:
    words = """{
      const model = s.prepare(g[0], g[1]);
      return s.bound(model, s.trajectory(model), g[2], boundkit[g[2].name]);
    }"""
    return page(claim["name"]).ask(words, algorithm, run, claim)


def python(algorithm: str, run: dict[str, Any], name: str) -> Verdict:
    return verify(theorem(name), run_from_spec(algorithm, run), slopes=False)


@each("name", INSIDE)
def test_terms_and_measured_are_those_of_the_verdict(name: str) -> None:
    settings = PRESETS[name]
    run = run_of(settings) | INSIDE[name] | {"rounds": 15}
    seen, claim = bound(settings["algorithm"], run, settings["theorem"]), settings["theorem"]
    verdict = python(settings["algorithm"], run, claim["name"])
    assert seen["applies"], seen["why"]
    assert seen["inside"]
    curves = verdict.curves
    assert curves is not None
    assert seen["horizon"] == curves.horizon.tolist()
    assert seen["measured"] == pytest.approx(curves.measured, rel=1e-10)
    assert [term["label"] for term in seen["terms"]] == list(curves.terms)
    for term in seen["terms"]:
        assert term["values"] == pytest.approx(curves.terms[term["label"]], rel=1e-10, abs=1e-300)
    assert (np.sum([t["values"] for t in seen["terms"]], axis=0) >= seen["measured"]).all()


@each(
    ("change", "why"),
    [
        ({"participation": {"kind": "uniform", "C": 1 / 3}}, "full participation"),
        ({"local_steps": [1, 2, 3]}, "equal local steps"),
        ({"eta_s": 0.5}, "a server step of 1"),
        (
            {"problem": {"kind": "quadratic", "H": [1, 1], "e": [[0], [1]], "p": [0.4, 0.6]}, "x0": [1.0]},
            "equal",
        ),
    ],
)
def test_a_bound_that_does_not_apply_says_what_it_assumes(change: dict[str, Any], why: str) -> None:
    seen = bound("fedavg", run_of(PRESETS["equal_hessians"]) | change, claim_of("fedavg_nonconvex"))
    assert not seen["applies"]
    assert why in seen["why"]


def test_a_bound_applies_to_its_own_algorithm() -> None:
    seen = bound("scaffold", run_of(PRESETS["equal_hessians"]), claim_of("fedavg_nonconvex"))
    assert seen["why"] == "The theorem is about FedAvg, not about SCAFFOLD."


def test_a_step_outside_the_condition_is_told_with_the_largest() -> None:
    run = run_of(PRESETS["unequal_hessians"])
    seen = bound("fedavg", run, claim_of("fedavg_nonconvex"))
    assert not seen["inside"]
    largest = seen["largestEta"]
    assert bound("fedavg", run | {"eta": largest}, claim_of("fedavg_nonconvex"))["inside"]
    assert not bound("fedavg", run | {"eta": 1.01 * largest}, claim_of("fedavg_nonconvex"))["inside"]
