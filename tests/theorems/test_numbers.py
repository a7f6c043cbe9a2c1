"""Every bound as numbers: exact against numpy, signs, slopes, and the corners of its domain."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from sympy import Expr, Rational, lambdify

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import C, T, eta, eta_s, m, sigma, sigma_g, tau
from boundkit.theorems import catalogue, theorem
from tests.theorems.points import Point, admissible, satisfied

EVERY = pytest.mark.parametrize("theorem_", catalogue().values(), ids=lambda t: t.name)
SEEDS = range(4)


def at(expr: Expr, point: Point) -> Fraction:
    value = expr.xreplace(dict(point))
    return Fraction(int(value.p), int(value.q))


@cache
def compiled(quantities: tuple[Quantity, ...], expr: Expr) -> Callable[..., float]:
    function: Callable[..., float] = lambdify(quantities, expr, modules="numpy")
    return function


def as_function(theorem_: Theorem, expr: Expr, point: Point) -> float:
    function = compiled(theorem_.quantities, expr)
    with np.errstate(all="raise"):
        return float(function(*(np.float64(float(point[q])) for q in theorem_.quantities)))


@EVERY
@pytest.mark.parametrize("seed", SEEDS)
def test_numpy_agrees_with_exact_fractions(theorem_: Theorem, seed: int) -> None:
    point = admissible(theorem_, seed)
    for label, term in theorem_.bound.terms.items():
        exact = float(at(term.expr, point))
        assert as_function(theorem_, term.expr, point) == pytest.approx(exact, rel=1e-12), label
    total = sum(at(t.expr, point) for t in theorem_.terms)
    assert as_function(theorem_, theorem_.bound.total, point) == pytest.approx(float(total), rel=1e-12)


@EVERY
@pytest.mark.parametrize("seed", SEEDS)
def test_no_term_is_negative_where_the_theorem_applies(theorem_: Theorem, seed: int) -> None:
    point = admissible(theorem_, seed)
    assert all(at(t.expr, point) >= 0 for t in theorem_.terms)


@EVERY
@pytest.mark.parametrize(
    "corner",
    [{tau: 1}, {C: 1}, {sigma: 0}, {sigma_g: 0}, {tau: 1, C: 1, sigma: 0, sigma_g: 0}, {T: 1}, {m: 2, C: 1}],
    ids=str,
)
def test_corners_have_values_without_a_warning(theorem_: Theorem, corner: dict[Quantity, int]) -> None:
    point = {
        **admissible(theorem_, 1),
        **{q: Rational(v) for q, v in corner.items() if q in theorem_.quantities},
    }
    assert all(satisfied(c, point) for c in theorem_.requires)
    for term in theorem_.terms:
        assert as_function(theorem_, term.expr, point) == pytest.approx(
            float(at(term.expr, point)), rel=1e-12
        )


@EVERY
def test_conditions_hold_for_small_steps_and_fail_for_large_ones(theorem_: Theorem) -> None:
    point = {**admissible(theorem_, 2), tau: Rational(2)}
    for condition in theorem_.step_size:
        assert satisfied(condition, {**point, eta: Rational(1, 10**9)})
        assert not satisfied(condition, {**point, eta: Rational(10**9)})


@EVERY
@pytest.mark.parametrize("seed", SEEDS)
def test_bound_falls_with_rounds_and_grows_with_noise_and_dissimilarity(theorem_: Theorem, seed: int) -> None:
    point = admissible(theorem_, seed)
    total = theorem_.bound.total
    assert at(total, {**point, T: point[T] + 1}) < at(total, point)
    assert at(total, {**point, sigma: point[sigma] + 1}) > at(total, point)
    if sigma_g in point:
        assert at(total, {**point, sigma_g: point[sigma_g] + 1}) >= at(total, point)


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


@pytest.mark.parametrize("name", [n for n in catalogue() if n.endswith("_partial")])
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


@pytest.mark.parametrize("name", [n for n in catalogue() if n.endswith("_partial")])
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
