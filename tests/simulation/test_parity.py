"""boundkit against the second implementation of every algorithm, and both against recorded runs of others."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path

import numpy as np

from boundkit.simulation.engines import exact_engine
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.simulate import simulate
from tests.cases import each
from tests.simulation.reference import REFERENCES, mean_models, replay
from tests.simulation.reference.cases import CASES
from tests.simulation.reference.setting import Array, read

PER_ROUND = 1e-9
RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))
REQUIRED = {"gamma", "clusters", "probabilities"}  # no default to compare with
WITHOUT_EFFECT = {  # options at their default, or without effect under full participation or equal steps
    ("fedavg-unbiased", "aggregation"),
    ("mifa-full", "wait"),
    ("mifa-wait, gaps", "wait"),
    ("mifa-wait, rows", "wait"),
    ("mifa-somebody never comes", "wait"),
    ("fedau-no cutoff", "cutoff"),
    ("fedau-full", "cutoff"),
    ("async_sgd-no delay", "delays"),
    ("overlap_sgd-full", "pull"),
    ("overlap_sgd-full", "momentum"),
}
DEFAULTS = {"correction": "joint", "solver": "adam"}


@cache
def replayed(name: str) -> Array:
    """A case by the second implementation."""
    algorithm, spec = CASES[name]
    return replay(algorithm, copy.deepcopy(spec))


def engines(run: Run) -> list[str]:
    """Every engine that simulates the run; test_arrays.py compares numpy with torch."""
    if exact_engine(run) is None:
        return ["step"]
    return ["step", "collapsed", "exact"] if run.algorithm.stateless else ["step", "exact"]


@each("name", CASES)
def test_each_round_agrees(name: str) -> None:
    algorithm, spec = CASES[name]
    run, expected = run_from_spec(algorithm, copy.deepcopy(spec)), replayed(name)
    for engine in engines(run):
        x = np.asarray(simulate(run, engine=engine).x)
        assert x.shape == expected.shape
        difference = np.abs(x - expected).max(axis=1)
        late = np.flatnonzero(difference > PER_ROUND * np.abs(expected).max(axis=1))
        assert late.size == 0, f"{name}, {engine}: round {late[0]}, {x[late[0]]}, {expected[late[0]]}"


@each("name", [name for name, case in CASES.items() if case[0] == "fedawe"])
def test_the_mean_model_of_fedawe_agrees(name: str) -> None:
    algorithm, spec = CASES[name]
    setting = read(copy.deepcopy(spec))
    expected = [
        float(np.sum(sum(p * grad(x) for p, grad in zip(setting.p, setting.gradients, strict=True)) ** 2))
        for x in mean_models(copy.deepcopy(spec))
    ]
    run = run_from_spec(algorithm, copy.deepcopy(spec))
    observed = simulate(run, engine="step").mean("mean_model_gradient_norm_squared")
    np.testing.assert_allclose(observed, expected, rtol=1e-8)
    seen = simulate(run, engine="step").to_dict()
    np.testing.assert_allclose(seen["mean_model"], mean_models(copy.deepcopy(spec)), rtol=1e-9, atol=1e-12)


@each("path", RECORDED, ids=lambda path: path.stem)
def test_published_code_is_replayed(path: Path) -> None:
    """Each record names its code and commit."""
    data = json.loads(path.read_text(encoding="utf-8"))
    assert "repo" in data["recorded_from"]
    expected = np.array(data["x"])
    run = run_from_spec(data["algorithm"], data["run"])
    models = {engine: simulate(run, engine=engine).x for engine in engines(run)}
    models["second implementation"] = replay(data["algorithm"], data["run"])
    tolerance = data["tolerance"] * np.abs(expected).max()
    for by, x in models.items():
        np.testing.assert_allclose(x[: len(expected)], expected, rtol=0, atol=tolerance, err_msg=by)


def test_every_algorithm_of_the_reference_has_a_case() -> None:
    assert {algorithm for algorithm, _ in CASES.values()} == set(REFERENCES)
    assert len(RECORDED) == 18


def test_every_option_of_every_case_has_an_effect() -> None:
    for name, (algorithm, spec) in CASES.items():
        x = replayed(name)
        assert np.isfinite(x).all(), name
        assert np.abs(x).max() < 10, name
        for option, value in spec.get("options", {}).items():
            if option in REQUIRED or (name, option) in WITHOUT_EFFECT or DEFAULTS.get(option) == value:
                continue
            without = copy.deepcopy(spec)
            del without["options"][option]
            y = replay(algorithm, without)
            assert y.shape != x.shape or np.abs(x - y).max() > 1e-4, (name, option)
