"""FedProx, SCAFFOLD, the average drift at optimum and adaptive methods: constants by number, exact audits."""

from itertools import combinations

import numpy as np
import pytest
from sympy import Rational, S, diff, log, simplify, sqrt

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import (
    C,
    G_inf,
    L,
    L_minus,
    T,
    adaptivity,
    beta,
    beta2,
    c_1,
    c_2,
    d,
    distance,
    drift_star,
    eta,
    eta_a,
    eta_s,
    gap,
    inexactness,
    m,
    mu,
    mu_prox,
    prox_paid,
    sigma,
    sigma_g,
    tau,
)
from boundkit.analysis.evaluate import satisfied
from boundkit.analysis.predict import predict
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each
from tests.representatives import audits

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


@each(("b", "ratio"), [(5, 0.50), (20, 0.76), (100, 0.82)])
def test_the_corollary_of_the_source_is_not_the_formula(b: int, ratio: float) -> None:
    at = {mu_prox: 6 * b**2, L: 1, L_minus: 0, inexactness: 0, beta: b, C: 1, m: 4 * b**2}
    assert float(RHO.subs(at) * 24 * b**2) == pytest.approx(ratio, abs=0.006)


def test_fedprox_refuses_where_rho_is_not_above_zero() -> None:
    statement = theorem("fedprox_nonconvex")
    with pytest.raises(BoundkitError, match=r"requires .* < 1/mu_prox"):
        predict(statement, mu_prox=1)
    with pytest.raises(BoundkitError, match="requires mu_prox > L_minus"):
        predict(statement, mu_prox=10, L_minus=20)
    assert predict(statement).total > 0, "typical values are inside"


def test_sampling_with_replacement_is_paid_for_at_full_participation() -> None:
    everyone = RHO.subs({C: 1, mu_prox: 10, L: 1, L_minus: 0, beta: 1, inexactness: 0})
    assert (
        everyone.subs(m, 10) < everyone.subs(m, 1000) < Rational(1, 10) - Rational(1, 100) - Rational(1, 200)
    )


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


def test_no_dissimilarity_and_no_participation_term_in_scaffold() -> None:
    for name in (
        "scaffold_nonconvex", "scaffold_nonconvex_sharper", "scaffold_nonconvex_partial_explicit",
        "scaffold_convex_partial", "scaffold_strongly_convex_partial", "vrl_sgd_nonconvex",
    ):  # fmt: skip
        statement = theorem(name)
        assert sigma_g not in statement.quantities
        causes = {t.cause for t in statement.terms}
        assert not causes & {"client drift", "partial participation"}
        start = statement.bound.terms["start-up"].expr
        assert simplify(T * diff(log(start), T)) != 0, "it falls with T"


def test_order_of_scaffold_under_sampling() -> None:
    statement = theorem("scaffold_nonconvex_partial")
    assert statement.kind == "order"
    terms = statement.bound.terms
    few = terms["initial gap"].expr.subs(C, Rational(1, 8)) / terms["initial gap"].expr.subs(C, 1)
    assert simplify(few) == 4  # (N/S)^(2/3)
    noise = terms["stochastic noise"].expr ** 2
    assert simplify(noise.subs(eta_s, 1) / noise.subs(eta_s, sqrt(m)) - (1 + m) / 2) == 0
    assert [simplify(x * diff(log(noise), x)) for x in (T, tau, C, gap, L)] == [-1, -1, -1, 1, 1]


def scaffold_maps(
    h: Array, e: Array, chosen: tuple[int, ...], steps: int, eta_: float, eta_s_: float
) -> tuple[Array, Array]:
    """One round in one coordinate: an affine map of (x, c_1, ..., c_m, 1), a linear form in the noises."""
    count, size = len(h), len(h) + 2
    eye = np.eye(size)
    moves, noisy = eye.copy(), np.zeros((size, count * steps))
    mean_control = eye[1 : 1 + count].mean(axis=0)
    for i in chosen:
        y, y_noise = eye[0].copy(), np.zeros(count * steps)
        total, total_noise = np.zeros(size), np.zeros(count * steps)
        for k in range(steps):
            g = h[i] * (y - e[i] * eye[-1])
            g_noise = h[i] * y_noise
            g_noise[i * steps + k] += 1
            total, total_noise = total + g, total_noise + g_noise
            y = y - eta_ * (g - eye[1 + i] + mean_control)
            y_noise = y_noise - eta_ * g_noise
        moves[0] += eta_s_ / len(chosen) * (y - eye[0])
        noisy[0] += eta_s_ / len(chosen) * y_noise
        moves[1 + i], noisy[1 + i] = total / steps, total_noise / steps
    return moves, noisy


def scaffold_ratio(name: str, seed: int) -> float:
    """E of what is claimed, by exact moments over all subsets, over the bound."""
    rng = np.random.default_rng(seed)
    count, dims = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    steps, rounds = int(rng.integers(1, 6)), int(rng.integers(1, 60))
    h = np.exp(rng.normal(0, 0.8, (count, dims)))
    e = rng.normal(0, np.exp(rng.normal()), (count, dims))
    noise, server = float(rng.choice([0, np.exp(rng.normal())])), float(rng.choice([1, 2]))
    server = 1 if theorem(name).assumes("server-step-one") else server
    best = (h * e).mean(axis=0) / h.mean(axis=0)
    x0 = best + rng.normal(0, np.exp(rng.normal()), dims)
    size = count if theorem(name).assumes("full-participation") else int(rng.integers(1, count + 1))
    values = {
        "m": count, "C": size / count, "T": rounds, "tau": steps, "eta_s": server, "L": h.max(),
        "mu": h.min(),
        "sigma": noise, "gap": (h.mean(axis=0) / 2 * (x0 - best) ** 2).sum(),
        "distance": np.sqrt(((x0 - best) ** 2).sum()),
        "control_error": np.sqrt(((h * (x0 - e)) ** 2).sum(axis=1).mean()),
        "correction_error": np.sqrt((h * (x0 - e)).var(axis=0).sum()),
        "control_error_star": np.sqrt(((h * (best - e)) ** 2).sum(axis=1).mean()),
    }  # fmt: skip
    statement = theorem(name)
    known = {q.name for q in statement.quantities}
    values = {k: float(v) for k, v in values.items() if k in known}
    step = predict(statement, **values).largest
    squares = np.zeros((rounds + 1, dims))
    for j in range(dims):
        start = np.concatenate([[x0[j]], np.zeros(count), [1.0]])
        moment, away = np.outer(start, start), np.eye(count + 2)[0] - best[j] * np.eye(count + 2)[-1]
        maps = [
            scaffold_maps(h[:, j], e[:, j], s, steps, step, server) for s in combinations(range(count), size)
        ]
        squares[0, j] = away @ moment @ away
        for t in range(rounds):
            moment = np.mean([a @ moment @ a.T + noise**2 / dims * n @ n.T for a, n in maps], axis=0)
            squares[t + 1, j] = away @ moment @ away
    slope = h.mean(axis=0)
    series = {
        "gradient_norm_squared": (slope**2 * squares).sum(axis=1),
        "loss_gap": (slope / 2 * squares).sum(axis=1),
        "distance_squared": squares.sum(axis=1),
    }
    claim = statement.claim
    return float(claim.measure(series[claim.observable])) / float(
        predict(statement, **values, eta=step).total
    )


@each(
    ("name", "near"),
    audits(
        [
            ("scaffold_nonconvex", 0.3),
            ("scaffold_nonconvex_sharper", 0.5),
            ("scaffold_nonconvex_partial_explicit", 0.4),
            ("vrl_sgd_nonconvex", 0.5),
            ("scaffold_convex_partial", 0.05),
            ("scaffold_strongly_convex_partial", 0.5),
        ]
    ),
)
def test_exact_runs_of_scaffold_stay_below_the_bound(name: str, near: float) -> None:
    ratios = [scaffold_ratio(name, seed) for seed in range(15)]
    assert near < max(ratios) <= 1


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


def test_constants_of_the_average_drift() -> None:
    q = (1 - eta * mu) ** tau
    terms = theorem("fedavg_strongly_convex_average_drift").bound.terms
    assert simplify((terms["initial gap"].expr - q**T * distance).subs({tau: 3, T: 5})) == 0
    series = sum((q**t for t in range(5)), S.Zero)
    drift = terms["client drift"].expr.subs(T, 5)
    assert simplify((drift - eta * tau * drift_star * series).subs(tau, 3)) == 0
    (condition,) = theorem("fedavg_strongly_convex_average_drift").step_size
    assert (condition.lhs, condition.rhs) == (eta, 2 / (L + mu))
    assert satisfied(condition, {"eta": 1 / 3, "L": 3, "mu": 0.2})  # 1/L asks for more
    assert not satisfied(condition, {"eta": 2 / 3, "L": 3, "mu": 0.2})
    upper = theorem("fedavg_strongly_convex_drift_limit").bound.total
    lower = theorem("fedavg_strongly_convex_drift_limit_lower").bound.total
    assert simplify(upper * (1 - q) - eta * tau * drift_star) == 0
    assert simplify(lower * (1 + q) - eta * tau * drift_star) == 0
    assert theorem("fedavg_strongly_convex_drift_limit_lower").kind == "lower"


def test_many_small_steps_leave_drift_over_mu() -> None:
    found = predict(theorem("fedavg_strongly_convex_drift_limit"), eta=1e-7, tau=10, mu=0.1, drift_star=3)
    assert found.total == pytest.approx(30, rel=1e-6)


# Adaptive servers and clients


def test_the_forms_of_the_adaptive_servers() -> None:
    ones = {
        q: S.One for name in ("fedadagrad_nonconvex", "fedadam_nonconvex") for q in theorem(name).quantities
    }
    grad = theorem("fedadagrad_nonconvex").bound.terms
    front = G_inf / sqrt(T) + adaptivity / (eta * tau * T)
    growth = 1 + log((adaptivity**2 + eta**2 * tau**2 * G_inf**2 * T) / adaptivity**2)
    variance = d * (eta * tau * G_inf**2 + adaptivity * eta_a * L) / adaptivity * growth
    walk = eta**3 * tau**2 * L**2 * T / adaptivity
    expected = {
        "initial gap": front * gap / eta_a,
        "noise drift": front * walk * sigma**2,
        "client drift": front * walk * tau * sigma_g**2,
        "stochastic noise": front * variance,
    }
    opened = {q: 1 for q in ones if q.name.startswith("c_")}
    point = {q: Rational(k + 2, 3) for k, q in enumerate(sorted(ones, key=str)) if q not in opened}
    for label, expr in expected.items():
        assert float((grad[label].expr.subs(opened) - expr).subs(point)) == pytest.approx(0, abs=1e-9)
    adam = theorem("fedadam_nonconvex").bound.terms
    front = (sqrt(beta2) * eta * tau * G_inf + adaptivity) / (eta * tau * T)
    step = G_inf + eta_a * L
    drift = walk + step * eta**4 * tau**3 * L**2 * T / adaptivity**2
    expected = {
        "initial gap": front * gap / eta_a,
        "stochastic noise": front * step * eta**2 * tau * T / (m * adaptivity**2) * sigma**2,
        "noise drift": front * drift * sigma**2,
        "client drift": front * drift * tau * sigma_g**2,
    }
    for label, expr in expected.items():
        assert float((adam[label].expr.subs(opened) - expr).subs(point)) == pytest.approx(0, abs=1e-9)


def test_the_tuned_fedadam_of_the_remark() -> None:
    terms = theorem("fedadam_nonconvex").bound.terms
    rule = {
        eta: 1 / (tau * L * sqrt(T)),
        eta_a: sqrt(tau * m) * G_inf / L,
        adaptivity: G_inf / L,
        beta2: 0,
        c_1: 1,
        c_2: 1,
    }
    expected = {
        "initial gap": L * gap / sqrt(m * tau * T),
        "stochastic noise": sigma**2 * (1 + sqrt(m * tau)) / (m * tau * sqrt(T)),
    }
    for label, expr in expected.items():
        assert simplify(terms[label].expr.subs(rule) - expr) == 0


@each("name", ["local_adaptive_nonconvex", "fedadagrad_nonconvex", "fedadam_nonconvex"])
def test_what_is_known_up_to_constants_says_so(name: str) -> None:
    statement = theorem(name)
    assert statement.kind == "order"
    for term in statement.terms:
        assert term.provenance == "recalled"
        assert sum(q.name.startswith("c_") for q in term.expr.free_symbols) == 1
    assert predict(statement).up_to_constants


def test_rate_of_local_adaptivity() -> None:
    terms = theorem("local_adaptive_nonconvex").bound.terms
    for label, powers in {
        "initial gap": (-1, -1, -1), "stochastic noise": (-1, -1, -1), "noise drift": (-2, 0, 0),
        "client drift": (-2, 0, 0),
    }.items():  # fmt: skip
        squared = terms[label].expr ** 2
        assert tuple(simplify(x * diff(log(squared), x)) for x in (T, tau, m)) == powers


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
