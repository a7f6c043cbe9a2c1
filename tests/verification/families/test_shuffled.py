"""Random reshuffling: the order of the parts of a client's data, and the theorem on it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.engines.stochastic_gradients import ShuffledParts
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run, make_run
from boundkit.simulation.run_file import read_run
from boundkit.theorems import theorem
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks.order_level import order_checks, sweeps_of
from boundkit.verification.default_instances import default_instances
from tests.cases import each

NAME = "cyclic_pl_shuffled_rate"
PARTS = np.array([[[3.0, 0.0], [-1.0, 2.0], [-2.0, -2.0]], [[0.0, 1.0], [4.0, -1.0], [-4.0, 0.0]]])
CLIENTS = Quadratic([1.0, 2.0], [[1.0, 0.0], [0.0, -1.0]], parts=PARTS)


def reshuffled(problem: Quadratic = CLIENTS, algorithm: str = "fedavg", **changes: Any) -> Run:
    settings = {"rounds": 1, "eta": 0.1, "local_steps": 3, "x0": [1.0] * problem.d}
    return make_run(algorithm, problem, **{**settings, **changes})


def visits(clients: Any, steps: int, m: int = 3, B: int = 4, replicas: int = 5) -> np.ndarray:
    """Which part each of these clients visits in each step, (steps, R, n)."""
    marks = np.tile(np.eye(B) - 1 / B, (m, 1, 1))
    parts = ShuffledParts(marks, np.asarray(clients), steps, Streams(3, replicas), np.zeros(1))
    return np.stack([parts.next_offsets().argmax(-1) for _ in range(steps)])


def test_every_epoch_visits_every_part_once() -> None:
    seen = visits([0, 1, 2], steps=10)
    for first in (0, 4):
        assert (np.sort(seen[first : first + 4], axis=0) == np.arange(4)[:, None, None]).all()
    orders = {tuple(seen[first : first + 4, r, i]) for first in (0, 4) for r in range(5) for i in range(3)}
    assert len(orders) > 10  # of 24, in 30 passes


def test_every_order_is_equally_frequent() -> None:
    seen = visits([0], steps=3, m=1, B=3, replicas=3000)[:, :, 0]
    _, counts = np.unique(seen, axis=1, return_counts=True)
    assert len(counts) == 6
    assert np.abs(counts - 500).max() < 5 * np.sqrt(500 * 5 / 6)


def test_a_round_by_hand() -> None:
    """x - eta sum_k (1 - eta h)^(tau-1-k) g_k besides the exact steps, for one of the six orders."""
    alone = Quadratic([2.0], [[0.0, 0.0]], parts=PARTS[:1])
    ends = StepEngine(reshuffled(alone), 40).trajectory().observed["distance_squared"][:, 1]
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    hand = []
    for order in orders:
        y = np.ones(2)
        for b in order:
            y = y - 0.1 * (2 * y + PARTS[0, b])
        hand.append(y @ y)
    assert np.abs(ends[:, None] - np.array(hand)).min(axis=1).max() < 1e-12
    assert len(np.unique(ends.round(9))) == 6


def test_a_whole_epoch_leaves_an_error_of_second_order() -> None:
    def moved(eta: float, tau: int) -> float:
        loud, quiet = (
            reshuffled(eta=eta, local_steps=tau),
            reshuffled(CLIENTS.without_noise(), eta=eta, local_steps=tau),
        )
        x, y = (StepEngine(run, 1).trajectory().x[1] for run in (loud, quiet))
        return float(np.linalg.norm(x - y))

    for tau in (3, 6):
        assert moved(2e-4, tau) / moved(1e-4, tau) == pytest.approx(4, rel=1e-2)
    assert moved(2e-4, 2) / moved(1e-4, 2) == pytest.approx(2, rel=1e-2)  # an epoch that is not finished


def test_a_file_is_read_and_written(tmp_path: Path) -> None:
    run = reshuffled()
    path = tmp_path / "RUN.json"
    path.write_text(json.dumps(run.to_json()))
    again = read_run("fedavg", path)
    assert again.to_json() == run.to_json()
    assert again.problem.parts is not None
    assert np.array_equal(again.problem.parts, PARTS)
    assert np.array_equal(trajectory(again, replicas=3).x, trajectory(run, replicas=3).x)
    assert "parts" not in CLIENTS.without_noise().to_json()
    weighed = CLIENTS.reweighted(np.array([0.3, 0.7])).parts
    assert weighed is not None
    assert np.array_equal(weighed, PARTS)


def test_sigma_is_the_longest_offset() -> None:
    found = CLIENTS.constants(np.zeros(2))["sigma"]
    assert found.value == pytest.approx(17**0.5)
    assert found.trust == "exact"
    assert CLIENTS.without_noise().constants(np.zeros(2))["sigma"].value == 0


@each(
    ("parts", "noise", "said"),
    [
        (PARTS[:1], 0.0, r"parts must have the shape \(2, any, 2\), but it has \(1, 3, 2\)"),
        (PARTS[:, :2], 0.0, "those of client 1 sum to 4 in size"),
        (PARTS, 0.5, "has parts or noise, but here it has parts and noise 0.5"),
        (np.zeros((2, 0, 2)), 0.0, "at least one part"),
        (np.array([[[1e200, 0.0], [-1e200, 0.0]]] * 2), 0.0, r"parts must be at most 1e\+50"),
    ],
)
def test_invalid_parts_are_refused(parts: Any, noise: float, said: str) -> None:
    with pytest.raises(BoundkitError, match=said):
        Quadratic([1.0, 2.0], CLIENTS.e, noise=noise, parts=parts)


def test_independent_noise_violates_the_bound() -> None:
    """The same variance in independent draws falls as 1/T: the bound is for parts alone."""
    sweeps = sweeps_of(theorem(NAME))
    problem = sweeps.instance.problem
    assert isinstance(problem, Quadratic)
    assert problem.parts is not None
    sigma = float((problem.parts**2).sum(axis=2).mean() ** 0.5)
    anew = replace(sweeps.instance, problem=Quadratic(list(problem.H), problem.e, noise=sigma))
    (check,) = order_checks(theorem(NAME), replace(sweeps, instance=anew))
    assert check.outcome == "violated"
    assert check.numbers["measured"] > -1.1


def test_violated_assumptions_are_named() -> None:
    plan = next(iter(default_instances(theorem(NAME))))
    assert (
        "4 parts and 3 local steps"
        in reasons_not_applicable(theorem(NAME), replace(plan, local_steps=3).run("fedavg", 0.01))[0]
    )
    noisy = replace(plan, problem=Quadratic([1.0] * 16, np.zeros((16, 2)), noise=1.0))
    assert (
        "draws independent gradients" in reasons_not_applicable(theorem(NAME), noisy.run("fedavg", 0.01))[0]
    )


@each(("engine", "algorithm"), [("exact", "fedavg"), ("collapsed", "fedavg"), ("exact", "scaffold")])
def test_other_engines_refuse(engine: str, algorithm: str) -> None:
    with pytest.raises(BoundkitError, match="the step engine alone can run"):
        trajectory(reshuffled(algorithm=algorithm), engine)
