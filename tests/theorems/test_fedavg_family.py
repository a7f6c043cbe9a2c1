"""FedAvg: constants of the theorems whose proofs no machine checks, and what follows from the others."""

from sympy import Expr, Rational, S, diff, exp, limit, simplify, solve, sqrt

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


# Tuned steps


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


def test_no_best_pair_of_steps_as_the_remark_says() -> None:
    total = theorem("fedavg_nonconvex_partial").bound.total
    at_product = total.subs(eta_s, mu / L / eta)  # eta_s eta held fixed
    slope = simplify(diff(at_product, eta) / eta)
    assert simplify(slope - 16 * L**2 * (tau - 1) * (sigma**2 + 4 * tau * sigma_g**2)) == 0


def test_more_clients_lower_only_the_noise_as_the_remark_says() -> None:
    for label, term in theorem("fedavg_nonconvex").bound.terms.items():
        assert (diff(term.expr, m) == 0) == (label != "stochastic noise")
    assert limit(theorem("fedavg_nonconvex").bound.terms["stochastic noise"].expr, m, S.Infinity) == 0
