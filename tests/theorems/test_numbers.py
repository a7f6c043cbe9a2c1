"""How bounds move with their letters. That they have values at all is among the checks of test_checks.py."""

from collections.abc import Mapping
from math import isfinite

from sympy import Expr, Rational

from boundkit.algebra import Quantity, Theorem
from boundkit.analysis.check.context import Point, admissible, numbers
from boundkit.analysis.evaluate import evaluate
from boundkit.theorems import catalogue

SEEDS = range(4)


def number(expr: Expr, point: Mapping[str, float]) -> float:
    return float(evaluate(expr, point))


# What a run is charged for: noise, unlikeness, a far start, old news, curvature. Steps and times are fixed.
CHARGED = {
    "sigma", "sigma_mean", "sigma_g", "sigma_c", "sigma_between", "sigma_within", "sigma_star", "kappa",
    "zeta", "rho_zeta", "beta", "Gamma", "rho_tilde", "chi2", "G", "G_inf", "drift_star", "control_error",
    "control_error_star", "correction_error", "update_error", "gradients_start", "gap", "distance",
    "staleness", "staleness_mean", "delay", "step_time", "missed", "mixing", "absence", "share_noise", "d",
    "A_noise", "B_drift", "C_drift", "B_walk", "C_walk", "A_mean", "B_mean", "C_mean", "tau_felt", "L",
    "L_minus", "L0", "L1",
}  # fmt: skip
# What should raise a lower bound is another question, and nothing is claimed of these
LOWER = {t.name for t in catalogue().values() if t.kind == "lower"}
# Its step is chosen against the noise: more of that makes the step smaller, and with it the drift
# A larger L than the step allows makes the denominator of the other negative
LOWERS_IT = {("local_sgd_nonconvex_rounds", "sigma"), ("fedlin_convex", "L")}


def charged(statement: Theorem) -> list[Quantity]:
    """The letters whose growth must not lower the bound, by name."""
    found = [q for q in statement.quantities if q.name in CHARGED]
    return sorted((q for q in found if (statement.name, q.name) not in LOWERS_IT), key=str)


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
