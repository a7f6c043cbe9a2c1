"""FedNova: what it derives from its clients against direct sums, and a published bound that is false."""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from boundkit.algebra.notation import prox_step
from boundkit.algebra.solvers import SOLVERS
from boundkit.analysis.client_values import homogeneous_form, substitute_clients
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.predict import predict
from boundkit.analysis.solver_weights import local_weights
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each
from tests.theorems.printed_fednova import PRINTED

SETTINGS: list[tuple[str, dict[str, float]]] = [
    ("sgd", {}),
    *(("proximal", {"prox_step": a}) for a in (0, 1e-12, 0.3, 1)),
    *(("momentum", {"rho_momentum": r}) for r in (0, 1e-9, 0.5, 0.999)),
    *(("decay", {"decay": g}) for g in (1, 1 - 1e-9, 0.9, 0.3)),
    *(("proximal_momentum", {"prox_step": a, "rho_momentum": r}) for a, r in product((0, 1e-6, 1), (0, 0.9))),
]
CLIENTS: list[tuple[list[int], list[float]]] = [
    ([2, 5, 9], [0.2, 0.3, 0.5]),
    ([1, 1, 1, 1], [0.1, 0.2, 0.3, 0.4]),
    ([1, 200, 20, 4], [0.25] * 4),
]
EVERY = each(("solver", "setting"), SETTINGS, ids=str)


def crossed() -> list[object]:
    """Each setting with one kind of clients, each solver with all kinds; the other pairs are slow."""
    return [
        pytest.param(
            *setting, *clients, id=f"{setting}-{clients}",
            marks=[] if setting[0] == "sgd" or k % len(CLIENTS) == c else [pytest.mark.slow],
        )
        for k, setting in enumerate(SETTINGS) for c, clients in enumerate(CLIENTS)
    ]  # fmt: skip


def derived(name: str, given: Mapping[str, object], setting: Mapping[str, float]) -> dict[str, float]:
    """What the theorem makes of the clients, in numbers."""
    statement, left = substitute_clients(theorem(name), {**given, **setting})
    values = {k: float(v) for k, v in left.items() if isinstance(v, (int, float))}
    return {
        q.name: float(e) if e.is_number else float(evaluate(e, values))
        for q, e in statement.definitions.items()
    }


def direct(
    solver: str, setting: Mapping[str, float], steps: list[int], p: Array, w: Array | None = None
) -> dict[str, float]:
    """The same from the weights themselves, as the theory defines them.

    ``w`` are the surrogate's weights; None takes those of plain averaging.
    """
    ways = [local_weights(solver, n, **setting) for n in steps]
    a = [way[-1] for way in ways]
    norm = np.array([x.sum() for x in a])
    effective = float((p * norm).sum())
    w = p * norm / effective if w is None else w
    square = np.array([(x**2).sum() for x in a])
    first = np.array([(x[:-1] ** 2).sum() for x in a])  # all but the last: no cancellation
    return {
        "tau_eff": effective,
        "A_noise": len(steps) * effective * float((w**2 * square / norm**2).sum()),
        "B_drift": float((w * first).sum()),
        "C_drift": max(x.sum() * x[:-1].sum() for x in a),
        "B_walk": float((w * [max((row**2).sum() for row in way[:-1]) for way in ways]).sum()),
        "C_walk": max(max(row.sum() for row in way[:-1]) ** 2 for way in ways),
        "chi2": float(((p - w) ** 2 / w).sum()),
    }


def safe_where_pulled(
    solver: str, setting: Mapping[str, float], steps: list[int], p: Array, w: Array | None = None
) -> dict[str, float]:
    """B'' and C'' for solvers that pull a client back, where the published B and C are too small."""
    found = direct(solver, setting, steps, p, w)
    safe = {"B_drift": found["B_walk"], "C_drift": found["C_walk"]}
    return found | (safe if solver.startswith("proximal") else {})


@each(("solver", "setting", "steps", "weights"), crossed())
def test_derived_quantities_are_direct_sums_over_the_gradient_weights(
    solver: str, setting: dict[str, float], steps: list[int], weights: list[float]
) -> None:
    p = np.array(weights)
    w = np.linspace(1, 2, len(p)) / np.linspace(1, 2, len(p)).sum()
    given = {"tau_i": steps, "p_i": weights, "solver": solver}
    for name, found, expected in (
        *(
            (name, {**given, "w_i": w.tolist()}, safe_where_pulled(solver, setting, steps, p, w))
            for name in ("fednova_nonconvex_surrogate", "fednova_nonconvex")
        ),
        ("fednova_nonconvex_surrogate_sharp", given, direct(solver, setting, steps, p, p)),
        ("fedavg_nonconvex_unequal_steps", given, safe_where_pulled(solver, setting, steps, p)),
    ):
        for quantity, value in derived(name, found, setting).items():
            if quantity in expected:
                # differences of numbers near 1: B of clients that keep one gradient, chi^2 of equal work
                slack = {"chi2": 1e-25, "B_drift": 1e-15}.get(quantity, 0.0)
                assert value == pytest.approx(expected[quantity], rel=1e-12, abs=slack), (name, quantity)


@EVERY
@each("steps", [1, 7])
def test_alike_clients_give_the_direct_sums_too(solver: str, setting: dict[str, float], steps: int) -> None:
    expected = safe_where_pulled(solver, setting, [steps] * 3, np.full(3, 1 / 3))
    both = ("fednova_nonconvex_surrogate_sharp", "fedavg_nonconvex_unequal_steps")
    for name in ("fednova_nonconvex", *both):
        statement = homogeneous_form(theorem(name), solver)
        values = {"m": 3.0, "tau": float(steps), **setting}
        for quantity, expr in statement.definitions.items():
            if quantity.name in expected and quantity != prox_step:
                pulled = expr.subs({s: prox_step for s in [SOLVERS[solver][prox_step]] if s != 0})
                found = float(evaluate(pulled, values))
                assert found == pytest.approx(expected[quantity.name], rel=1e-12, abs=1e-15), quantity


def test_proximal_weights_follow_the_step() -> None:
    given = {"tau_i": [2, 5, 9], "solver": "proximal", "mu_prox": 0.5, "eta": 0.02}
    alike_weights = np.full(3, 1 / 3)
    expected = safe_where_pulled("proximal", {"prox_step": 0.01}, [2, 5, 9], alike_weights, alike_weights)
    found = predict(theorem("fednova_nonconvex"), **given).derived
    for name in ("tau_eff", "A_noise", "B_drift", "C_drift"):
        assert found[name] == pytest.approx(expected[name], rel=1e-12)
    assert predict(theorem("fednova_nonconvex"), **given, T=100).largest < 1


# The constants of the theory by number, written out a second time


@each("steps", [[1, 1], [1, 4]])
def test_steps_stay_meaningful_where_nobody_walks(steps: list[int]) -> None:
    asked = predict(theorem("fednova_nonconvex"), tau_i=steps, L=2, beta=1)
    expected = min(1 / (4 * np.mean(steps)), np.inf if max(steps) == 1 else 1 / (4 * np.sqrt(3 * 12)))
    assert asked.largest == pytest.approx(expected, rel=1e-12)


# Special cases


def test_the_published_bound_is_false_for_a_full_pull_and_the_safe_ones_are_not() -> None:
    h, e, eta = np.array([1, 0.5]), np.array([-1, 1]), 0.25
    x = -5 / 19
    y = x - eta * h * (x - e)  # a full pull: each step starts from x again
    assert x - eta * (h * (y - e)).mean() == pytest.approx(x, rel=1e-12)  # a run stays there
    gradients = h * (x - e)
    squared = gradients.mean() ** 2
    assert squared == pytest.approx(1 / 361, rel=1e-12)
    asked = {
        "tau_i": [2, 2], "solver": "proximal", "prox_step": 1, "L": 1, "beta": 1, "eta": eta, "sigma": 0,
        "kappa": float(gradients.std()), "gap": float(squared / (2 * h.mean())), "T": 1000,
    }  # fmt: skip
    published = predict(PRINTED, **asked)
    assert published.holds
    assert 20 * published.total < squared
    for name in ("fednova_nonconvex_surrogate", "fednova_nonconvex_surrogate_sharp", "fednova_nonconvex"):
        safe = predict(theorem(name), **asked)
        assert safe.holds
        assert squared <= safe.total


# Work that varies


def test_rounds_are_weighed_by_how_far_they_go() -> None:
    rows = [[2, 5, 9], [3, 3, 3], [1, 1, 30]]
    p = np.array([0.2, 0.3, 0.5])
    each = [direct("sgd", {}, row, p, p) for row in rows]
    effective = np.array([x["tau_eff"] for x in each])
    found = derived("fednova_nonconvex_varying", {"tau_i": rows, "p_i": p.tolist()}, {})
    assert found["tau_eff_mean"] == pytest.approx(effective.mean(), rel=1e-12)
    assert found["tau_eff_max"] == effective.max()
    for mean, quantity in (("A_mean", "A_noise"), ("B_mean", "B_drift"), ("C_mean", "C_drift")):
        series = np.array([x[quantity] for x in each])
        assert found[mean] == pytest.approx((effective * series).sum() / effective.sum(), rel=1e-12)
        assert found[mean] > 1.1 * series.mean(), "a plain mean over rounds is another number"
    assert found["C_drift_max"] == 30 * 29


# The tuned step


# What is left at the surrogate's optimum


# Exact moments of runs on quadratics with a shared diagonal Hessian
