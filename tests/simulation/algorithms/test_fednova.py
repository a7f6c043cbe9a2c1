"""FedNova: what its updates are divided by, for every local solver."""

from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.analysis.solver_weights import gradient_weights
from boundkit.simulation.algorithms import ClientOracle, Round, ServerOracle, WeightInputs, algorithm
from boundkit.simulation.problems import Quadratic
from tests.cases import each
from tests.simulation.algorithms.uneven import STEPS, problem

ETA, TAU = 0.1, 7
SOLVERS: dict[str, dict[str, Any]] = {
    "sgd": {},
    "momentum": {"momentum": 0.6},
    "proximal": {"mu": 2.0},
    "proximal_momentum": {"momentum": 0.6, "mu": 2.0},
    "decay": {"decay": 0.8},
    "all": {"momentum": 0.6, "mu": 2.0, "decay": 0.8},
    "reduced": {"variance_reduction": True},
    "reduced_momentum": {"variance_reduction": True, "momentum": 0.6},
}
ALIKE_AXES = Quadratic([1.0, [0.5, 1.5], 0.75, [1.25, 0.5]], problem().e, problem().p)
SETTING: dict[str, Any] = {"rounds": 8, "eta": ETA, "x0": [3.0, -1.0]}


def run(options: dict[str, Any], engine: str = "step", steps: Any = STEPS, **more: Any) -> Any:
    return simulate(
        "fednova", problem(), engine=engine, local_steps=steps, options=options, **SETTING | more
    ).x


def probed(options: dict[str, Any], tau: int, rates: Any) -> Any:
    """The weights a of tau gradients: the solver's own steps, where the k-th gradient is the k-th axis."""
    solver = algorithm("fednova", options)
    zero, axes = np.zeros((1, tau)), np.eye(tau)
    here = np.zeros(1, dtype=np.intp)
    oracle = ServerOracle(1, np.ones(1), lambda y: y, lambda x: x[:, 0])
    state, _ = solver.plan(solver.start(zero, oracle), 0, here + tau, oracle)
    round = Round(0, 1, here, None, here + tau, zero[0, :1] + 1, rates, 1.0)
    local = solver.local_start(state, round, ClientOracle(lambda y: y, lambda x, mu: x))
    for k in range(tau):
        local = solver.local_step(local, axes[k].reshape(1, 1, tau), float(rates[k]))
    return solver.message(state, local, round)["update"][0, 0] / rates[0]


@each("solver", SOLVERS)
@each("falls", [False, True])
def test_the_sum_of_the_weights_is_what_the_solver_does(solver: str, falls: bool) -> None:
    nova = algorithm("fednova", SOLVERS[solver])
    given = ETA * (9 / (9 + np.arange(TAU)) if falls else np.ones(TAU))
    rates = nova.rates(given)
    for tau in range(1, TAU + 1):
        a = probed(SOLVERS[solver], tau, rates)
        assert (a >= 0).all()
        one = WeightInputs(np.ones(1), np.ones(1), np.array([tau]), 1, rates)
        counted = algorithm("fednova", SOLVERS[solver] | {"tau_eff": 1}).weights(one)
        np.testing.assert_allclose(1 / counted, a.sum(), rtol=1e-13)


@each("solver", ["sgd", "momentum", "proximal", "proximal_momentum", "decay"])
def test_the_weights_are_those_of_the_theorems(solver: str) -> None:
    options = SOLVERS[solver]
    keywords = {"momentum": "rho_momentum", "decay": "decay"}
    said = {keywords[k]: v for k, v in options.items() if k in keywords}
    if "mu" in options:
        said["prox_step"] = ETA * options["mu"]
    rates = algorithm("fednova", options).rates(np.full(TAU, ETA))
    np.testing.assert_allclose(probed(options, TAU, rates), gradient_weights(solver, TAU, **said), rtol=1e-13)


def test_absent_clients_do_not_count_in_tau_eff() -> None:
    weights = algorithm("fednova").weights(
        WeightInputs(np.array([0.2, 0.3, 0.5]), np.array([1.0, 2.0, 0.0]), np.array([2, 4, 8]), 9, np.ones(8))
    )
    share = np.array([0.2, 0.6, 0.0]) / 0.8
    tau_eff = share @ [2, 4, 8]
    np.testing.assert_allclose(weights, tau_eff * share / [2, 4, 8], rtol=1e-14)


@pytest.mark.parametrize("momentum", [0.5])
def test_reduced_variance_brings_unequal_work_to_the_optimum(momentum: float) -> None:
    setting = SETTING | {"rounds": 150, "eta": 0.1, "local_steps": STEPS}
    ends = [
        simulate(
            "fednova", ALIKE_AXES, options={"variance_reduction": vr, "momentum": momentum}, **setting
        ).x[-1]
        for vr in (True, False)
    ]
    np.testing.assert_allclose(ends[0], ALIKE_AXES.centre, atol=1e-10)
    assert np.abs(ends[1] - ALIKE_AXES.centre).max() > 1e-2


def test_only_memory_of_clients_keeps_it_from_collapsing() -> None:
    assert algorithm("fednova", SOLVERS["all"]).stateless
    assert not algorithm("fednova", SOLVERS["reduced"]).stateless
    with pytest.raises(BoundkitError, match="fednova cannot be collapsed: it stores"):
        run(SOLVERS["reduced"], "collapsed")


def test_a_pull_that_overshoots_is_refused() -> None:
    with pytest.raises(BoundkitError, match=r"mu = 20 at eta = 0\.1 overshoots .* eta mu must be below 1"):
        run({"mu": 20})
