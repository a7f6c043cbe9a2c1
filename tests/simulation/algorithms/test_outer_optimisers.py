"""Outer optimisers: conventions of frameworks, exact runs and stationary laws, torch's own optimisers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit import simulate
from boundkit.algebra import BoundkitError
from boundkit.analysis.outer_optimisers import OuterOptimiser, from_convention
from boundkit.simulation.engines import exact_engine, trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.algorithms.rounds import run, states

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-10}
UNLIKE = Quadratic([1.0, 0.5, 0.25], [[1.0], [-2.0], [3.0]])
ROUNDS = 12
Array = np.ndarray[Any, Any]


def of(name: str, outer: OuterOptimiser, problem: Quadratic, **settings: Any) -> Run:
    """A run of ``fedavgm``, or of another algorithm with its options."""
    options = {"server_momentum": outer.beta, "nesterov": outer.nesterov}
    return make_run(name, problem, eta_s=outer.eta_s, options=options, **settings)


# -- conventions: each framework's rule, written with its own buffer ------------------------------------


class Rule:
    """A server's rule with learning rate and momentum; ``__call__`` maps x and u to the next x."""

    def __init__(self, kind: str, rate: float, momentum: float, nesterov: bool) -> None:
        self.kind, self.rate, self.momentum, self.nesterov = kind, rate, momentum, nesterov
        self.v: Array | None = None

    def __call__(self, x: Array, u: Array) -> Array:
        rate, beta = self.rate, self.momentum
        if self.kind in ("torch", "flower"):
            self.v = u if self.v is None else beta * self.v + u
        else:
            v = 0 * u if self.v is None else self.v
            rules: dict[str, Array] = {
                "optax": beta * v + u, "tff": beta * v + u, "keras": beta * v - rate * u,
                "average": beta * v + (1 - beta) * u, "slowmo": beta * v + u / 0.1,
            }  # fmt: skip
            self.v = rules[self.kind]
        if self.kind == "keras":
            return x + (beta * self.v - rate * u if self.nesterov else self.v)
        if self.kind == "slowmo":
            return x - rate * 0.1 * self.v
        return x - rate * (u + beta * self.v if self.nesterov else self.v)


def rule_path(rule: Callable[[Array, Array], Array]) -> Array:
    """The server's models under a rule, with the pseudo-gradients of rounds of plain FedAvg."""
    x, path = np.array([4.0, -3.0]), []
    for _ in range(ROUNDS):
        path.append(x)
        u = x - trajectory(run("fedavg", x0=x, rounds=1), "step").x[-1]
        x = rule(x, u)
    return np.array([*path, x])


@each("case", [("torch", 0.7, 0.9, True), ("optax", 0.3, 0.8, False), ("tff", 0.5, 0.6, True),
               ("flower", 0.2, 0.9, False), ("keras", 0.3, 0.7, True), ("keras", 0.2, 0.7, False),
               ("average", 1.0, 0.8, False), ("slowmo", 0.4, 0.5, False)])  # fmt: skip
def test_a_framework_is_fedavgm_at_the_converted_options(case: tuple[str, float, float, bool]) -> None:
    outer = from_convention(*case)
    options = {"server_momentum": outer.beta, "nesterov": outer.nesterov}
    x = trajectory(run("fedavgm", rounds=ROUNDS, eta_s=outer.eta_s, options=options), "step").x
    np.testing.assert_allclose(x, rule_path(Rule(*case)), rtol=1e-11, atol=1e-12)


@each("nesterov", [0.0, 1.0])
def test_torch_sgd_is_the_outer_optimiser(nesterov: float) -> None:
    torch = pytest.importorskip("torch")
    weight = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    sgd = torch.optim.SGD([weight], lr=0.7, momentum=0.9, nesterov=bool(nesterov))

    def rule(x: Array, u: Array) -> Array:
        with torch.no_grad():
            weight.copy_(torch.from_numpy(x))
        weight.grad = torch.from_numpy(u)
        sgd.step()
        return np.array(weight.detach().numpy())

    options = {"server_momentum": 0.9, "nesterov": nesterov, "inner": "sgd"}
    x = trajectory(run("diloco", rounds=ROUNDS, eta_s=0.7, options=options), "step").x
    np.testing.assert_allclose(x, rule_path(rule), rtol=1e-11, atol=1e-12)


def test_torch_adamw_is_the_inner_optimiser() -> None:
    torch = pytest.importorskip("torch")
    h, e, eta, steps = np.array([1.0, 0.3]), np.array([2.0, -1.0]), 0.05, 7
    weight = torch.tensor([4.0, -3.0], dtype=torch.float64, requires_grad=True)
    adam = torch.optim.AdamW([weight], lr=eta)
    expected = []
    for _ in range(4 * steps):
        expected.append(weight.detach().numpy().copy())
        weight.grad = torch.from_numpy(h) * (weight.detach() - torch.from_numpy(e))
        adam.step()
    # one client, plain server: rounds do not interrupt an optimiser with persistent buffers
    options = {"server_momentum": 0.0}
    one = make_run("diloco", Quadratic([h], [e]), rounds=4, eta=eta, local_steps=steps, x0=[4.0, -3.0],
                   options=options)  # fmt: skip
    x = trajectory(one, "step").x
    np.testing.assert_allclose(x[:4], np.array(expected)[::steps], rtol=1e-10)


def test_nesterov_is_the_accelerated_form_and_its_parameters_the_lookahead_points() -> None:
    options = {"server_momentum": 0.6}
    x = trajectory(run("fedavgm", eta_s=0.8, options=options | {"nesterov": 1.0}), "step").x
    other = run("accelerated_local_sgd", eta_s=0.8, options=options)
    np.testing.assert_allclose(x, trajectory(other, "step").x, rtol=1e-11, atol=1e-12)
    points = [s["y"][0] for s in states(other)]
    buffers = [s["b"][0] for s in states(run("fedavgm", eta_s=0.8, options=options | {"nesterov": 1.0}))]
    np.testing.assert_allclose(points, x + 0.8 * 0.6 * np.array(buffers), rtol=1e-10, atol=1e-12)


# -- exact values -----------------------------------------------------------------------------------------

RUNS = {
    (1.0, 0.0, 0.0): [0.1773190625, 0.277324113845, 0.333725327304, 0.365534689300, 0.383474649250],
    (0.7, 0.9, 0.0): [0.12412334375, 0.322073831409, 0.526051993631, 0.673198592726, 0.724285958440],
    (0.7, 0.9, 1.0): [0.235834353125, 0.435447860355, 0.551487793851, 0.579851645172, 0.544733819994],
}


def test_runs_on_unlike_clients_are_those_of_the_table_and_momentum_does_not_move_the_limit() -> None:
    for key, expected in RUNS.items():
        made = of("fedavgm", OuterOptimiser(*key), UNLIKE, rounds=5, eta=0.2, local_steps=5, x0=[0.0])
        for engine in ("exact", "step"):
            np.testing.assert_allclose(trajectory(made, engine).x[1:, 0], expected, **EXACT)
        assert fixed_point(made).points[0][0] == pytest.approx(0.406679843097, abs=1e-10)


def test_stationary_variances_under_sampling_are_those_of_the_table() -> None:
    alike = Quadratic([1.0] * 4, [[-1.0], [0.0], [0.0], [1.0]], noise=1.0)
    common: dict[str, Any] = {"rounds": 10, "x0": [1.0], "participation": {"kind": "uniform", "C": 0.5}}
    for key, variance in {(1, 0, 0): 0.069228141432, (0.7, 0.9, 0): 0.416816310468,
                          (0.7, 0.9, 1): 0.188362792123, (0.1, 0.9, 1): 0.043731705641}.items():  # fmt: skip
        made = of("fedavgm", OuterOptimiser(*key), alike, eta=0.1, local_steps=5, **common)
        engine = exact_engine(made, must=True)
        assert engine is not None
        assert engine.stationary()["distance_squared"] == pytest.approx(variance, abs=1e-10)
    h = np.array([1.0, 0.3, 0.6, 0.9])
    unlike = Quadratic(h, (np.array([1.025, -1.975, 0.525, 0.425]) / h)[:, None], noise=np.sqrt(0.5))
    for outer, eta, tau, mean, variance in (
        (OuterOptimiser(0.7, 0.9, 1), 0.1, 5, -0.083732023848, 0.667923770258),
        (OuterOptimiser(0.2, 0.8, 0), 0.2, 7, -0.254538437447, 0.500445010424),
        (OuterOptimiser(), 0.3, 4, -0.202051048418, 0.622227958000),
    ):
        made = of("fedavgm", outer, unlike, eta=eta, local_steps=tau, **common)
        assert fixed_point(made).points[0][0] == pytest.approx(mean, abs=1e-10)
        engine = exact_engine(made, must=True)
        assert engine is not None
        squared = engine.stationary()["distance_squared"]
        assert squared - (mean - unlike.centre[0]) ** 2 == pytest.approx(variance, abs=1e-9)


AVERAGES = {
    (1, 0, 0): [0.164667679475, 0.058516625966, 0.212129465950, 0.153529915201, 0.052630180979],
    (2, 0, 0): [0.135163091100, 0.048402428848, 0.270574805948],
    (0.5, 0.5, 0): [0.210728089848, 0.074306172458, 0.245946892133, 0.202463362644, 0.069404606937],
    (0.7, 0.9, 1): [0.197868736868, 0.069897975698, 0.315757658876, 0.170203974933, 0.058346062345],
}


def test_exact_averages_over_ten_rounds_are_those_of_the_table() -> None:
    """Gradients and local averages with noise, gradients under sampling, both without noise."""
    common: dict[str, Any] = {"rounds": 10, "eta": 0.1, "local_steps": 5, "x0": [1.0]}
    zero, centres = np.zeros((4, 1)), np.array([[-1.0], [0.0], [0.0], [1.0]])
    for key, expected in AVERAGES.items():
        values = []
        for e, noise, C in ((zero, 1.0, 1.0), (centres, 1.0, 0.5), (zero, 0.0, 1.0)):
            problem, participation = Quadratic([1.0] * 4, e, noise=noise), {"kind": "uniform", "C": C}
            made = of("fedavgm", OuterOptimiser(*key), problem, participation=participation, **common)
            seen = simulate(replace(made, virtual=C == 1), engine="exact")
            names = ["gradient_norm_squared", *(["virtual_loss_gap"] if C == 1 else [])]
            values += [seen.mean(name)[:10].mean() for name in names]
        np.testing.assert_allclose(values[: len(expected)], expected, **EXACT)
        by_step = simulate(replace(made, virtual=True), engine="step").mean("virtual_loss_gap")
        np.testing.assert_allclose(by_step[:10], seen.mean("virtual_loss_gap")[:10], rtol=1e-10)


def test_accelerated_runs_are_those_of_the_sheet() -> None:
    one: dict[str, Any] = {"rounds": 10, "eta": 0.1, "local_steps": 5, "x0": [1.0]}
    expected = [0.17433922005, 0.060788327295, 0.014483050743, 0.001701824266, 1.015979149505e-6,
                1.685963658e-4, 1.646394147e-4, 5.649551397e-5, 5.024222429e-6, 8.868162671e-7]  # fmt: skip
    made = simulate("accelerated_local_sgd", Quadratic([1.0], [[0.0]]), engine="exact", **one)
    np.testing.assert_allclose(made.mean("mean_model_loss")[1:], expected, rtol=1e-9)
    expected = [0.17433922005, 0.024487418659, 1.255041548e-4, 0.001487945758, 0.001463849985, 5.060148691e-4]
    made = simulate("accelerated_local_sgd", Quadratic([1.0], [[0.0]]), engine="exact",
                    options={"server_momentum": 0.526756652759}, **one)  # fmt: skip
    np.testing.assert_allclose(made.mean("mean_model_loss")[1:7], expected, rtol=1e-8)


@each("options", [{"momentum": 0.6}, {"momentum": 0.6, "buffers": "averaged"}, {"late": True}])
def test_exact_moments_with_inner_states_are_those_of_replicas(options: dict[str, Any]) -> None:
    problem = Quadratic.random(4, 2, seed=3, dense=True, noise=0.8, curvature=(0.3, 1.0))
    made = make_run("diloco", problem, rounds=8, eta=0.1, eta_s=0.3, local_steps=3, x0=[1.5, 1.5], seed=7,
                    participation={"kind": "uniform", "C": 0.5},
                    options={"inner": "sgd", "server_momentum": 0.5} | options)  # fmt: skip
    exact, seen = trajectory(made, "exact"), trajectory(made, "step", replicas=1500)
    for name in ("loss", "distance_squared"):
        z = (seen.mean(name)[2:] - exact.mean(name)[2:]) / seen.standard_error(name)[2:]
        assert 1e-3 < np.abs(z).max() < 4, name


def test_adam_has_no_exact_moments() -> None:
    with pytest.raises(BoundkitError, match="not affine"):
        exact_engine(make_run("diloco", UNLIKE, rounds=1, eta=0.1, x0=[0.0]), must=True)
