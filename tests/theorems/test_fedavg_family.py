"""FedAvg with sharper drifts, tuned steps, convex losses and decaying steps: constants, and what follows."""

from math import e

import numpy as np
from sympy import Expr, Rational, exp, simplify, solve, sqrt

from boundkit.algebra.notation import (
    C,
    G,
    Gamma,
    L,
    T,
    beta,
    c_1,
    c_2,
    c_3,
    c_4,
    distance,
    eta,
    eta_s,
    gap,
    kappa,
    m,
    mu,
    offset,
    sigma,
    sigma_g,
    sigma_mean,
    tau,
)
from boundkit.theorems import theorem
from tests.cases import each

F = Rational
START, NOISE = 4 * gap / (eta * tau * T), 4 * eta * L * sigma**2 / m
BY_NOISE = eta**2 * L**2 * (tau - 1) * sigma**2
CONVEX = {"initial gap": distance**2 / (2 * eta * tau * T), "stochastic noise": eta * sigma**2 / m}
Q = (1 - C) * m / (m - 1)
END = offset + tau * T
DECAYING = {
    "initial gap": L * offset * distance**2 / (2 * END),
    "stochastic noise": 2 * L * sigma_mean**2 / (mu**2 * END),
    "heterogeneity": 12 * L**2 * Gamma / (mu**2 * END),
    "client drift": 16 * L * (tau - 1) ** 2 * G**2 / (mu**2 * END),
}
SAMPLED = 8 * L * tau**2 * G**2 / (C * m * mu**2 * END)
SERVER = 1 + C * m / eta_s**2
BY_HAND: dict[str, dict[str, Expr]] = {
    "fedavg_nonconvex_beta_kappa": {
        "initial gap": START,
        "stochastic noise": NOISE,
        "noise drift": 6 * BY_NOISE,
        "client drift": 12 * eta**2 * L**2 * tau * (tau - 1) * kappa**2,
    },
    "fedavg_nonconvex_sharp": {
        "initial gap": START,
        "stochastic noise": NOISE,
        "noise drift": 6 * BY_NOISE,
        "client drift": 12 * eta**2 * L**2 * (tau - 1) ** 2 * sigma_g**2,
    },
    "fedavg_nonconvex_mean_walk": {
        "initial gap": F(7, 12) * START,
        "stochastic noise": F(7, 12) * NOISE,
        "noise drift": F(7, 5) * BY_NOISE,
        "client drift": F(14, 15) * eta**2 * L**2 * (tau - 1) * (2 * tau - 1) * sigma_g**2,
    },
    "fedavg_nonconvex_tuned": {
        "initial gap": 4 * L * gap / sqrt(m * tau * T),
        "stochastic noise": 4 * sigma**2 / sqrt(m * tau * T),
        "noise drift": 6 * m * (tau - 1) * sigma**2 / (tau * T),
        "client drift": 12 * m * (tau - 1) * sigma_g**2 / T,
    },
    "fedavg_nonconvex_partial_tuned": {
        "initial gap": 4 * L * gap / sqrt(C * m * tau * T),
        "stochastic noise": 4 * sigma**2 / sqrt(C * m * tau * T),
        "noise drift": 8 * (tau - 1) * sigma**2 / (tau**2 * T),
        "partial participation": 12 * Q * sigma_g**2 * sqrt(tau / (C * m * T)),
        "client drift": 32 * (tau - 1) * sigma_g**2 / (tau * T),
    },
    "fedavg_nonconvex_partial_long_steps_tuned": {
        "initial gap": F(7, 3) * L * gap / sqrt(C * m * tau * T),
        "stochastic noise": F(15, 8) * sigma**2 / sqrt(C * m * tau * T),
        "noise drift": (tau - 1) * sigma**2 / (tau**2 * T),
        "partial participation": F(8, 5) * Q * sigma_g**2 * sqrt(tau / (C * m * T)),
        "client drift": F(7, 16) * (tau - 1) * sigma_g**2 / (tau * T),
    },
    "fedavg_convex": {
        **CONVEX,
        "noise drift": 4 * tau * eta**2 * L * sigma**2,
        "client drift": 18 * tau**2 * eta**2 * L * sigma_g**2,
    },
    "fedavg_convex_sharp": {
        **CONVEX,
        "noise drift": F(3, 4) * (tau - 1) * eta**2 * L * sigma**2,
        "client drift": F(15, 4) * tau * (tau - 1) * eta**2 * L * sigma_g**2,
    },
    "fedavg_strongly_convex_decaying": DECAYING,
    "fedavg_strongly_convex_decaying_replacement": {**DECAYING, "partial participation": SAMPLED},
    "fedavg_strongly_convex_decaying_uniform": {**DECAYING, "partial participation": Q * SAMPLED},
    "fedavg_strongly_convex_decaying_one_step": {
        "initial gap": L * offset * distance**2 / (2 * (offset + T)),
        "stochastic noise": 2 * L * sigma**2 / (C * m * mu**2 * (offset + T)),
        "partial participation": 2 * L * sigma_g**2 / (C * m * mu**2 * (offset + T)),
    },
    "fedavg_nonconvex_partial_rate": {
        "initial gap": c_1 * beta**2 * L * gap / T,
        "stochastic noise": c_2 * sigma * sqrt(L * gap * SERVER / (T * tau * C * m)),
        "partial participation": c_3 * kappa * sqrt(L * gap * (1 - C) / (T * C * m)),
        "client drift": c_4 * (L * gap * kappa) ** F(2, 3) / (T + 1) ** F(2, 3),
    },
    "fedavg_convex_partial_rate": {
        "initial gap": c_1 * beta**2 * L * distance**2 / T,
        "stochastic noise": c_2 * sigma * distance * sqrt(SERVER / (T * tau * C * m)),
        "partial participation": c_3 * kappa * distance * sqrt((1 - C) / (T * C * m)),
        "client drift": c_4 * distance ** F(4, 3) * (L * kappa**2) ** F(1, 3) / (T + 1) ** F(2, 3),
    },
    "fedavg_strongly_convex_partial_rate": {
        "initial gap": c_1 * mu * distance**2 * exp(-mu * T / (16 * (1 + beta**2) * L)),
        "stochastic noise": c_2 * sigma**2 * SERVER / (mu * T * tau * C * m),
        "partial participation": c_3 * (1 - C) * kappa**2 / (mu * T * C * m),
        "client drift": c_4 * L * kappa**2 / (mu**2 * T**2),
    },
}


@each("name", BY_HAND)
def test_constants(name: str) -> None:
    terms = theorem(name).bound.terms
    assert list(terms) == list(BY_HAND[name])
    for label, expected in BY_HAND[name].items():
        assert simplify(terms[label].expr - expected) == 0, label


@each("name", BY_HAND)
def test_only_rates_are_of_order(name: str) -> None:
    assert (theorem(name).kind == "order") == name.endswith("_rate")
    assert theorem(name).constants == ("recalled" if name.endswith("_rate") else "derived")


@each("steps", [2, 3, 10])
@each("slope", [1, 2, F(7, 2)])
def test_step_where_dissimilarity_grows(steps: int, slope: Rational) -> None:
    first, second = theorem("fedavg_nonconvex_beta_kappa").step_size
    at = {tau: steps, beta: slope, L: 3}
    root = 1 / (6 * sqrt((2 * slope**2 + 1) * steps * (steps - 1)))  # eta L = 1/(2 sqrt(...)), at L = 3
    assert simplify((second.lhs - second.rhs).subs(at).subs(eta, root)) == 0
    assert first.rhs.subs(at) == F(1, 6 * steps)
    if slope == 1:
        plain = theorem("fedavg_nonconvex").step_size[1]
        assert simplify((plain.lhs - plain.rhs).subs(at).subs(eta, root)) == 0


def test_longest_walk_allows_a_longer_step() -> None:
    sharp, plain = (theorem(n).step_size[1] for n in ("fedavg_nonconvex_sharp", "fedavg_nonconvex"))
    assert simplify(plain.lhs / sharp.lhs - tau / (tau - 1)) == 0
    assert sharp.rhs == plain.rhs == F(1, 12)
    assert theorem("fedavg_nonconvex_mean_walk").step_size == theorem("fedavg_nonconvex").step_size


def test_what_is_left_of_the_descent_when_every_step_is_counted() -> None:
    """The numbers of the proof: 1/15 and 13/30, and 7/3 for 30/13."""
    assert F(1, 2) - F(2, 5) * 2 * F(1, 12) == F(13, 30) > F(3, 7)
    for steps in range(1, 60):
        k = np.arange(steps)
        assert (k**2).sum() * 6 == steps * (steps - 1) * (2 * steps - 1)
        assert (steps - 1) * (2 * steps - 1) <= 2 * steps * (steps - 1)
        assert max(k[s + 1 :].sum() for s in range(steps)) == steps * (steps - 1) // 2


def test_growth_of_a_distance_in_the_convex_proofs() -> None:
    for steps in range(1, 300):
        growth = (1 + 1 / steps) ** np.arange(steps + 1) - 1
        assert steps * growth[steps] <= (e - 1) * steps
        assert growth[:-1].mean() * steps <= (e - 2) * (steps - 1) + 1e-12
    assert 10 * (e - 1) < 18
    assert 2 * (e - 1) < 4
    assert e - 2 < 3 / 4


# Tuned steps


def test_conditions_of_the_tuned_step() -> None:
    full, tuned = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_tuned")
    rule = {eta: sqrt(m / (tau * T)) / L}
    first, second = ((c.lhs / c.rhs).subs(rule) for c in full.step_size)
    assert simplify(first**2 * T - 4 * m * tau) == 0
    assert simplify(second * T - 12 * m * (tau - 1)) == 0
    assert [c.rhs for c in tuned.step_size] == [4 * m * tau, 12 * m * (tau - 1)]


def test_conditions_of_the_two_tuned_steps() -> None:
    partial, tuned = theorem("fedavg_nonconvex_partial"), theorem("fedavg_nonconvex_partial_tuned")
    rule = {eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)}
    needs = [simplify((c.lhs / c.rhs).subs(rule) ** 2 * T) for c in partial.step_size]
    assert needs == [c.rhs for c in tuned.step_size] == [64, 576 * C * m * tau]
    assert tuned.step_size[1].rhs.subs({C: F(1, 10), m: 100, tau: 10}) == 57600


def test_when_drift_and_noise_are_equal_as_the_remark_says() -> None:
    terms = theorem("fedavg_nonconvex_tuned").bound.terms
    (rounds,) = solve(terms["client drift"].expr - terms["stochastic noise"].expr, T)
    assert simplify(rounds - 9 * m**3 * tau * (tau - 1) ** 2 * sigma_g**4 / sigma**4) == 0


def test_linear_speed_up_is_of_two_terms_only() -> None:
    for label, term in theorem("fedavg_nonconvex_tuned").bound.terms.items():
        ratio = simplify(term.expr.subs(m, 4 * m) / term.expr)
        assert ratio == (4 if "drift" in label else F(1, 2))


def test_one_step_leaves_a_drift_that_two_do_not() -> None:
    one, two = (
        theorem(f"fedavg_nonconvex_{k}").bound.terms["client drift"].expr for k in ("tuned", "partial_tuned")
    )
    assert simplify(one / two - F(3, 8) * m * tau) == 0
    partial = theorem("fedavg_nonconvex_partial").bound.terms["client drift"].expr
    alone = partial.subs(eta, sqrt(C * m / (tau * T)) / L)
    assert simplify(alone - 32 * C * m * (tau - 1) * sigma_g**2 / T) == 0


# Which is sharper


@each("steps", [1, 2, 3, 10, 100])
@each(
    ("sharp", "loose"),
    [
        ("fedavg_nonconvex_sharp", "fedavg_nonconvex"),
        ("fedavg_nonconvex_mean_walk", "fedavg_nonconvex_sharp"),
        ("fedavg_convex_sharp", "fedavg_convex"),
    ],
)
def test_no_term_of_a_sharper_theorem_is_larger(sharp: str, loose: str, steps: int) -> None:
    at = {tau: steps}
    for label, term in theorem(sharp).bound.terms.items():
        other = theorem(loose).bound.terms[label].expr.subs(at)
        if term.expr.subs(at) != 0:
            assert simplify(term.expr.subs(at) / other) <= 1


@each("name", ["fedavg_convex", "fedavg_convex_sharp"])
def test_only_the_sharp_convex_drift_vanishes_at_one_step(name: str) -> None:
    drifts = [t.expr.subs(tau, 1) for t in theorem(name).terms if "drift" in t.cause]
    assert all(d == 0 for d in drifts) == name.endswith("sharp")
