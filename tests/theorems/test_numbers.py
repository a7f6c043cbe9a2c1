"""How bounds move with their letters. That they have values at all is among the checks of test_checks.py."""

from fractions import Fraction

import pytest
from sympy import Expr, Rational

from boundkit.algebra import Theorem
from boundkit.algebra.notation import C, eta, eta_s, m, sigma, sigma_g, tau
from boundkit.analysis.check.points import Point, admissible, numbers
from boundkit.analysis.evaluate import evaluate
from boundkit.theorems import catalogue, theorem

EVERY = pytest.mark.parametrize("theorem_", catalogue().values(), ids=lambda t: t.name)
SEEDS = range(4)
SAMPLED = ("fedavg_nonconvex_partial", "fedavg_convex_partial", "fedavg_strongly_convex_partial")


def at(expr: Expr, point: Point) -> Fraction:
    value = expr.xreplace(dict(point))
    return Fraction(int(value.p), int(value.q))


def number(expr: Expr, point: Point) -> float:
    return float(evaluate(expr, numbers(point)))


@EVERY
@pytest.mark.parametrize("seed", SEEDS)
def test_noise_and_dissimilarity_never_lower_a_bound(theorem_: Theorem, seed: int) -> None:
    """Not so for orders: rounds to a target may hold sigma_g^2/sigma^2."""
    point = admissible(theorem_, seed)
    total = theorem_.bound.total
    if theorem_.kind not in ("upper", "tight"):
        return
    for more in {sigma, sigma_g} & set(point):
        assert number(total, {**point, more: point[more] + 1}) >= number(total, point)


@pytest.mark.parametrize("name", ["fedavg_nonconvex_partial", "fedavg_convex_partial"])
@pytest.mark.parametrize("seed", SEEDS)
def test_more_local_steps_at_fixed_step_sizes_raise_all_but_the_gap(name: str, seed: int) -> None:
    statement = theorem(name)
    point = {**admissible(statement, seed), m: Rational(10), C: Rational(3, 10)}
    more = {**point, tau: point[tau] + 1}
    for label, term in statement.bound.terms.items():
        before, after = at(term.expr, point), at(term.expr, more)
        if label == "initial gap":
            assert after < before
        elif label == "stochastic noise":
            assert after == before
        else:
            assert after > before


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("seed", SEEDS)
def test_more_participants_help_noise_and_sampling_and_nothing_else(name: str, seed: int) -> None:
    statement = theorem(name)
    point = {**admissible(statement, seed), m: Rational(10)}
    for few in (1, 5, 9):
        now, then = ({**point, C: Rational(k, 10)} for k in (few, few + 1))
        for label, term in statement.bound.terms.items():
            if label in ("stochastic noise", "partial participation"):
                assert at(term.expr, then) < at(term.expr, now)
            else:
                assert at(term.expr, then) == at(term.expr, now)


@pytest.mark.parametrize("name", SAMPLED)
def test_small_client_step_and_large_server_step_buy_the_drift_off(name: str) -> None:
    statement = theorem(name)
    point = {**admissible(statement, 3), tau: Rational(5)}
    shifted = {**point, eta: point[eta] / 4, eta_s: point[eta_s] * 4}
    for label, term in statement.bound.terms.items():
        ratio = at(term.expr, shifted) / at(term.expr, point)
        assert ratio == (Fraction(1, 16) if "drift" in label else 1)


def test_the_worked_example() -> None:
    statement = theorem("fedavg_nonconvex_partial")
    values = {"m": 100, "C": Rational(1, 10), "tau": 10, "T": 1000, "eta": Rational(1, 1000)}
    point = {q: Rational(values.get(q.name, 1)) for q in statement.quantities}
    terms = {label: at(t.expr, point) for label, t in statement.bound.terms.items()}
    assert terms == {
        "initial gap": Fraction(4, 10),
        "stochastic noise": Fraction(4, 10**4),
        "noise drift": Fraction(72, 10**6),
        "partial participation": Fraction(12, 1100),
        "client drift": Fraction(288, 10**5),
    }
    assert float(sum(terms.values())) == pytest.approx(0.41426109090909, rel=1e-12)
