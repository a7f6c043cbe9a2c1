"""What is not affine never meets exact moments, however affine it looks where it is probed."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.control_variates import Scaffold
from boundkit.simulation.algorithms.fedavg import FedAvg
from boundkit.simulation.engines import NotAffine, exact_engine, trajectory
from boundkit.simulation.engines.affine_rounds import AffineRounds
from boundkit.simulation.engines.state_maps import StateMaps
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each

PROBLEM = Quadratic([1.0, 1.1], [[1.0, 0.0], [1.1, 0.1]])


def run_of(name: str, **options: object) -> Run:
    return make_run(name, PROBLEM, rounds=5, eta=0.1, options=options, x0=np.array([3.0, 3.0]))


@each(
    "name", ["fedexp", "fedadagrad", "fedadam", "local_adaptive", "celgc", "episode", "fedpaq", "dp_fedavg"]
)
def test_they_are_refused_before_they_are_probed(name: str) -> None:
    run = run_of(name)
    assert not run.algorithm.affine
    assert exact_engine(run) is None
    assert trajectory(run).engine == "step"
    with pytest.raises(BoundkitError, match="not affine"):
        exact_engine(run, must=True)


def test_plain_steps_with_the_adaptive_correction_are_affine() -> None:
    assert exact_engine(run_of("local_adaptive", solver="sgd")) is not None


@pytest.mark.parametrize("kink", [-50.0, 3e-4, 20.0, 300.0])
def test_a_kink_near_or_far_is_found(kink: float, monkeypatch: pytest.MonkeyPatch) -> None:
    step = FedAvg.local_step

    def bent(self, local, gradient, eta):  # type: ignore[no-untyped-def]
        after = step(self, local, gradient, eta)
        return {**after, "y": after["y"] + 0.1 * np.maximum(after["y"] - kink, 0)}

    monkeypatch.setattr(FedAvg, "local_step", bent)
    with pytest.raises(NotAffine):
        AffineRounds(run_of("fedavg")).own(0)


def test_a_kink_is_found_in_some_of_many_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    step = FedAvg.local_step

    def bent(self, local, gradient, eta):  # type: ignore[no-untyped-def]
        after = step(self, local, gradient, eta)
        return {**after, "y": after["y"] + 0.1 * np.maximum(after["y"] - 20.0, 0)}

    run = make_run("fedavg", Quadratic.random(40, 100), rounds=1, eta=0.1)
    AffineRounds(run).own(0)
    monkeypatch.setattr(FedAvg, "local_step", bent)
    with pytest.raises(NotAffine):
        AffineRounds(run).own(0)


@pytest.mark.parametrize("kink", [3e-4, 20.0, 300.0])
def test_a_kink_of_a_round_is_detected(kink: float, monkeypatch: pytest.MonkeyPatch) -> None:
    step = Scaffold.server_step

    def bent(self, state, received):  # type: ignore[no-untyped-def]
        after = step(self, state, received)
        return {**after, "x": after["x"] + 0.1 * np.maximum(after["x"] - kink, 0)}

    monkeypatch.setattr(Scaffold, "server_step", bent)
    run = run_of("scaffold")
    with pytest.raises(NotAffine):
        StateMaps(run).round(0, np.ones(2), {})
    assert exact_engine(run) is None


def test_a_later_round_that_is_not_affine_leaves_the_run_to_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    step = Scaffold.server_step

    def bent(self, state, received):  # type: ignore[no-untyped-def]
        after = step(self, state, received)
        return {**after, "x": np.abs(after["x"])}

    monkeypatch.setattr(Scaffold, "server_step", bent)
    run = make_run("scaffold", PROBLEM, rounds=3, eta=0.1, schedule=[[], [0, 1], [1]])
    assert exact_engine(run) is not None  # nobody comes first, and to stay is affine
    assert trajectory(run).engine == "step"
    with pytest.raises(NotAffine):
        trajectory(run, "exact")
