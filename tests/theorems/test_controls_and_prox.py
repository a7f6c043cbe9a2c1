"""FedProx and the average drift at the optimum: constants by number, and exact rounds."""

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import C, L, L_minus, beta, inexactness, m, mu_prox, prox_paid
from boundkit.analysis.predict import predict
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each

# FedProx

RHO = 1 / mu_prox - theorem("fedprox_nonconvex").definitions[prox_paid]


def rho_by_hand(mu_: float, l_minus: float, b: float, g: float, l: float, k: float) -> float:
    bar = mu_ - l_minus
    return float(
        1 / mu_
        - g * b / mu_
        - np.sqrt(2) * b * (1 + g) / (bar * np.sqrt(k))
        - l * b * (1 + g) / (bar * mu_)
        - l * (1 + g) ** 2 * b**2 / (2 * bar**2)
        - l * b**2 * (1 + g) ** 2 / (bar**2 * k) * (2 * np.sqrt(2 * k) + 2)
    )


@each("seed", range(5))
def test_rho_by_number(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, g = float(rng.uniform(0, 2)), float(rng.uniform(0, 0.3))
    big, b, l, k = float(rng.uniform(30, 90)), float(rng.uniform(1, 2)), float(rng.uniform(0.5, 2)), 20
    expected = rho_by_hand(big, low, b, g, l, k)
    found = RHO.subs({mu_prox: big, L_minus: low, beta: b, inexactness: g, L: l, C: Rational(1, 5), m: 100})
    assert float(found) == pytest.approx(expected, rel=1e-12)
    if expected > 0:
        values = {"mu_prox": big, "L_minus": low, "beta": b, "inexactness": g, "L": l, "C": 0.2, "m": 100}
        total = predict(theorem("fedprox_nonconvex"), **values, gap=3, T=7).total
        assert total == pytest.approx(3 / (7 * expected), rel=1e-12)


def test_fedprox_refuses_where_rho_is_not_above_zero() -> None:
    statement = theorem("fedprox_nonconvex")
    with pytest.raises(BoundkitError, match=r"requires .* < 1/mu_prox"):
        predict(statement, mu_prox=1)
    with pytest.raises(BoundkitError, match="requires mu_prox > L_minus"):
        predict(statement, mu_prox=10, L_minus=20)
    assert predict(statement).total > 0, "typical values are inside"


@each("seed", range(12))
def test_a_round_of_fedprox_lowers_the_loss_by_what_rho_says(seed: int) -> None:
    """F_i = h_i x^2/2, so that x* is common and beta constant; the mean over draws is exact."""
    rng = np.random.default_rng(seed)
    h, p = rng.uniform(0.5, 1, 6), rng.dirichlet(np.full(6, 5.0))
    g, k, big = float(rng.choice([0, 0.05])), int(rng.integers(60, 300)), float(rng.uniform(20, 60))
    slope = p @ h
    b = float(np.sqrt(p @ h**2) / slope)
    rho = rho_by_hand(big, 0, b, g, h.max(), k)
    for sign in (-1, 1):  # the inexact minimiser on either side
        moved = (big + sign * g * h) / (big + h)
        mean = p @ moved
        second = mean**2 + (p @ moved**2 - mean**2) / k
        assert 0 < rho * slope**2 <= slope / 2 * (1 - second)


# SCAFFOLD


# Average drift at optimum


def drift_world(seed: int) -> tuple[list[Array], Array, Array, int, float]:
    """Hessians, minimisers, weights, steps and a step size for clients whose Hessians do not commute."""
    rng = np.random.default_rng(seed)
    count, dims, steps = 4, 3, int(rng.integers(1, 30))
    turned = [np.linalg.qr(rng.normal(size=(dims, dims)))[0] for _ in range(count)]
    h = [q @ np.diag(rng.uniform(0.2, 3, dims)) @ q.T for q in turned]
    ends = np.concatenate([np.linalg.eigvalsh(x) for x in h])
    step = float(rng.choice([1, 0.3])) * 2 / (ends.max() + ends.min())
    return h, rng.normal(0, 3, (count, dims)), rng.dirichlet(np.full(count, 3.0)), steps, step


@each("seed", range(10))
def test_fedavg_stays_between_the_two_sides_of_the_drift(seed: int) -> None:
    h, e, p, steps, step = drift_world(seed)
    eye = np.eye(3)
    ends = np.concatenate([np.linalg.eigvalsh(x) for x in h])
    away = [eye - np.linalg.matrix_power(eye - step * x, steps) for x in h]  # x_i = x - away (x - e_i)
    best = np.linalg.solve(
        sum(w * x for w, x in zip(p, h, strict=True)), sum(w * x @ c for w, x, c in zip(p, h, e, strict=True))
    )
    drift = np.linalg.norm(sum(w * k @ (best - c) for w, k, c in zip(p, away, e, strict=True)))
    values = {
        "eta": step, "tau": steps, "mu": float(ends.min()), "L": float(ends.max()),
        "drift_star": float(drift / (step * steps)),
    }  # fmt: skip
    x = best + 5 * np.ones(3)
    start, pull = float(np.linalg.norm(x - best)), sum(w * k for w, k in zip(p, away, strict=True))
    for t in range(1, 40):
        x = x - sum(w * k @ (x - c) for w, k, c in zip(p, away, e, strict=True))
        found = predict(theorem("fedavg_strongly_convex_average_drift"), **values, T=t, distance=start)
        assert found.holds
        assert np.linalg.norm(x - best) <= found.total * (1 + 1e-12)
    rest = np.linalg.solve(pull, sum(w * k @ c for w, k, c in zip(p, away, e, strict=True)))
    upper = predict(theorem("fedavg_strongly_convex_drift_limit"), **values).total
    lower = predict(theorem("fedavg_strongly_convex_drift_limit_lower"), **values).total
    assert lower * (1 - 1e-9) - 1e-12 <= np.linalg.norm(rest - best) <= upper * (1 + 1e-9) + 1e-12
    if step <= 1 / ends.max():
        pulled = sum(w * np.linalg.norm(x @ (best - c)) for w, x, c in zip(p, h, e, strict=True))
        assert values["drift_star"] <= step * ends.max() * (steps - 1) / 2 * pulled + 1e-12


# Adaptive servers and clients


@each(
    "name",
    [
        "fedavg_strongly_convex_average_drift",
        "fedavg_strongly_convex_drift_limit",
        "fedavg_strongly_convex_drift_limit_lower",
        "scaffold_strongly_convex_partial",
    ],
)
def test_no_loss_is_flatter_above_than_below(name: str) -> None:
    eta = 1e-6
    assert predict(theorem(name), eta=eta, L=2, mu=2).holds
    with pytest.raises(BoundkitError, match="mu <= L"):
        predict(theorem(name), eta=eta, L=1, mu=2)
