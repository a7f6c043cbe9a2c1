"""How bounds move with their letters. That they have values at all is among the checks of test_checks.py."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import isfinite

from sympy import Expr, Rational, limit, oo, simplify, sqrt

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import (
    L0,
    L1,
    A_mean,
    A_noise,
    B_drift,
    B_mean,
    B_walk,
    C,
    C_drift,
    C_mean,
    C_walk,
    G,
    G_inf,
    Gamma,
    L,
    L_minus,
    T,
    absence,
    beta,
    chi2,
    control_error,
    control_error_star,
    correction_error,
    d,
    delay,
    distance,
    drift_star,
    eta,
    eta_s,
    gap,
    gradients_start,
    kappa,
    m,
    missed,
    mixing,
    rho_bar,
    rho_tilde,
    rho_zeta,
    share_noise,
    sigma,
    sigma_between,
    sigma_c,
    sigma_g,
    sigma_mean,
    sigma_star,
    sigma_within,
    staleness,
    staleness_mean,
    step_time,
    tau,
    tau_felt,
    update_error,
    zeta,
)
from boundkit.analysis.check.context import Point, admissible, numbers
from boundkit.analysis.evaluate import evaluate
from boundkit.theorems import catalogue, theorem
from tests.cases import each

SEEDS = range(4)
SAMPLED = ("fedavg_nonconvex_partial", "fedavg_convex_partial", "fedavg_strongly_convex_partial")


def at(expr: Expr, point: Point) -> Fraction:
    value = expr.xreplace(dict(point))
    return Fraction(int(value.p), int(value.q))


def number(expr: Expr, point: Mapping[str, float]) -> float:
    return float(evaluate(expr, point))


# What a run is charged for: noise, unlikeness, a far start, old news, curvature. Steps and times are fixed.
CHARGED = {
    sigma, sigma_mean, sigma_g, sigma_c, sigma_between, sigma_within, sigma_star, kappa, zeta, rho_zeta, beta,
    Gamma, rho_tilde, chi2, G, G_inf, drift_star, control_error, control_error_star, correction_error,
    update_error, gradients_start, gap, distance, staleness, staleness_mean, delay, step_time, missed, mixing,
    absence,
    share_noise, d, A_noise, B_drift, C_drift, B_walk, C_walk, A_mean, B_mean, C_mean, tau_felt,
    L, L_minus, L0, L1,
}  # fmt: skip
# What should raise a lower bound is another question, and nothing is claimed of these
LOWER = {t.name for t in catalogue().values() if t.kind == "lower"}
# Its step is chosen against the noise: more of that makes the step smaller, and with it the drift
# A larger L than the step allows makes the denominator of the other negative
LOWERS_IT = {("local_sgd_nonconvex_rounds", sigma), ("fedlin_convex", L)}


def charged(statement: Theorem) -> list[Quantity]:
    """The letters whose growth must not lower the bound, by name."""
    found = CHARGED & set(statement.quantities)
    return sorted((q for q in found if (statement.name, q) not in LOWERS_IT), key=str)


def raised(quantity: Quantity, point: Point) -> Point:
    """The point with more of it: one more, or half of the way to the end of its domain."""
    upper = quantity.domain.upper
    more = (Rational(upper) - point[quantity]) / 2 if isfinite(upper) else Rational(1)
    return {**point, quantity: point[quantity] + more}


def test_no_charge_lowers_a_term() -> None:
    """All else fixed, at four points; and each letter that a bound holds is felt at one of them."""
    for theorem_ in catalogue().values():
        if theorem_.name in LOWER:
            continue
        letters = charged(theorem_)
        felt = set()
        for seed in SEEDS:
            point = admissible(theorem_, seed)
            here = numbers(point)
            more = {letter: numbers(raised(letter, point)) for letter in letters}
            for term in theorem_.terms:
                now = number(term.expr, here)
                for letter, harder in more.items():
                    then = number(term.expr, harder)
                    assert then >= now, (term.label, letter)
                    if then > now:
                        felt.add(letter)
        assert felt, theorem_.name
        assert felt == set(letters) & theorem_.bound.total.free_symbols, theorem_.name


def test_more_local_steps_at_fixed_step_sizes_raise_all_but_the_gap() -> None:
    for name, seed in product(("fedavg_nonconvex_partial", "fedavg_convex_partial"), SEEDS):
        statement = theorem(name)
        point = {**admissible(statement, seed), m: Rational(10), C: Rational(3, 10)}
        more = {**point, tau: point[tau] + 1}
        for label, term in statement.bound.terms.items():
            before, after = at(term.expr, point), at(term.expr, more)
            if label == "initial gap":
                assert after < before, (name, seed)
            elif label == "stochastic noise":
                assert after == before, (name, seed)
            else:
                assert after > before, (name, seed)


def test_more_participants_help_noise_and_sampling_and_nothing_else() -> None:
    for name, seed in product(SAMPLED, SEEDS):
        statement = theorem(name)
        point = {**admissible(statement, seed), m: Rational(10)}
        for few in (1, 5, 9):
            now, then = ({**point, C: Rational(k, 10)} for k in (few, few + 1))
            for label, term in statement.bound.terms.items():
                if label in ("stochastic noise", "partial participation"):
                    assert at(term.expr, then) < at(term.expr, now), (name, seed)
                else:
                    assert at(term.expr, then) == at(term.expr, now), (name, seed)


@each("name", SAMPLED)
def test_small_client_step_and_large_server_step_buy_the_drift_off(name: str) -> None:
    statement = theorem(name)
    point = {**admissible(statement, 3), tau: Rational(5)}
    shifted = {**point, eta: point[eta] / 4, eta_s: point[eta_s] * 4}
    for label, term in statement.bound.terms.items():
        ratio = at(term.expr, shifted) / at(term.expr, point)
        assert ratio == (Fraction(1, 16) if "drift" in label else 1)


@each("name", ["fednova_nonconvex", "fedavg_nonconvex_unequal_steps", "fedavg_surrogate_optimum"])
def test_more_mismatch_of_the_weights_raises_the_floor(name: str) -> None:
    """What is left at T -> infinity and a step of 1/sqrt(T) is in proportion to chi2, and is 0 without it."""
    floor = limit(theorem(name).bound.total.subs(eta, 1 / sqrt(T)), T, oo)
    assert floor.subs(chi2, 0) == 0
    assert floor.diff(chi2).is_nonnegative
    assert floor.diff(chi2).subs(kappa, 1).is_positive


def test_selection_skew_divides_noise_and_drift_alone() -> None:
    """The bias feels the ratio of the skews, so that it stays where both double."""
    statement = theorem("biased_selection_strongly_convex_decaying")
    ratios = {
        label: term.expr.subs({rho_bar: 2 * rho_bar, rho_tilde: 2 * rho_tilde}, simultaneous=True) / term.expr
        for label, term in statement.bound.terms.items()
    }
    assert {label: simplify(ratio) for label, ratio in ratios.items()} == {
        "initial gap": 1,
        "stochastic noise": Rational(1, 2),
        "client drift": Rational(1, 2),
        "heterogeneity": 1,
        "selection bias": 1,
    }
