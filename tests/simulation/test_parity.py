"""boundkit against the second implementation of every algorithm, round by round."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np

from boundkit.simulation.engines import exact_engine
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.simulate import simulate
from tests.cases import each
from tests.simulation.reference import REFERENCES, mean_models, replay
from tests.simulation.reference.cases import CASES
from tests.simulation.reference.setting import read

PER_ROUND = 1e-9
RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))


def engines(run: Run) -> list[str]:
    """Every engine that simulates the run; test_arrays.py compares numpy with torch."""
    if exact_engine(run) is None:
        return ["step"]
    return ["step", "collapsed", "exact"] if run.algorithm.stateless else ["step", "exact"]


@each("name", CASES)
def test_each_round_agrees(name: str) -> None:
    algorithm, spec = CASES[name]
    run, expected = run_from_spec(algorithm, copy.deepcopy(spec)), replay(algorithm, copy.deepcopy(spec))
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
    data = json.loads(path.read_text(encoding="utf-8"))
    expected = np.array(data["x"])
    run = run_from_spec(data["algorithm"], data["run"])
    for engine in engines(run):
        x = simulate(run, engine=engine).x[: len(expected)]
        tolerance = data["tolerance"] * np.abs(expected).max()
        np.testing.assert_allclose(x, expected, rtol=0, atol=tolerance, err_msg=engine)


def test_every_algorithm_of_the_reference_has_a_case() -> None:
    assert {algorithm for algorithm, _ in CASES.values()} == set(REFERENCES)
