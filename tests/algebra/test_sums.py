"""Sums over the gradients of a local run: exact, closed, printed, differentiated."""

from sympy import Float, Rational, S, Symbol, simplify, symbols

from boundkit.algebra.notation import decay, eta, mu_prox, rho_momentum, tau, tau_i
from boundkit.algebra.sums import LocalSum, WeightSquares, WeightSum, run_of
from tests.cases import each

RATIOS = [
    (Rational(9, 10), S.Zero),
    (S.One, Rational(9, 10)),
    (Rational(9, 10), Rational(9, 10)),
    (Rational(1, 3), Rational(2, 3)),
    (S.Zero, S.Zero),
    (S.One, S.One),
]


def by_hand(a: Rational, b: Rational, n: int) -> list[Rational]:
    """W_1, ..., W_n from W_j = a^(j-1) + a^(j-2) b + ... + b^(j-1)."""
    return [sum((a ** (j - 1 - k) * b**k for k in range(j)), S.Zero) for j in range(1, n + 1)]


@each(("a", "b"), RATIOS, ids=str)
@each("n", [0, 1, 2, 3, 8, 13])
def test_numbers_are_added_up_exactly(a: Rational, b: Rational, n: int) -> None:
    weights = by_hand(a, b, n)
    assert WeightSum(a, b, n) == sum(weights)
    assert WeightSquares(a, b, n) == sum(w**2 for w in weights)
    if n:
        run = run_of(a, b, n)
        assert run.last == weights[-1]
        assert run.crossed == sum(a ** (j + 1) * w for j, w in enumerate(weights))


@each("kind", [WeightSum, WeightSquares])
def test_what_needs_no_sum_is_none(kind: type[LocalSum]) -> None:
    a, b, n = symbols("a b n", positive=True)
    assert kind(a, b, 0) == 0
    assert kind(a, b, 1) == 1
    assert kind(1, 0, n) == n
    assert isinstance(kind(a, b, n), kind)
    assert isinstance(kind(a, b, 3), kind)
    assert isinstance(kind(Rational(1, 2), 0, 5000), kind)


@each("kind", [WeightSum, WeightSquares])
@each(("a", "b"), [(Rational(9, 10), 0), (1, Rational(1, 2)), (Rational(1, 3), Rational(2, 3))])
@each("n", [1, 2, 9])
def test_closed_form_is_the_sum(kind: type[LocalSum], a: Rational, b: Rational, n: int) -> None:
    count = Symbol("n", positive=True)
    assert simplify(kind(a, b, count).closed_form().subs(count, n) - kind(a, b, n)) == 0


def test_the_closed_forms_of_the_theory() -> None:
    rho, steps = rho_momentum, tau_i
    norm = (steps - rho * (1 - rho**steps) / (1 - rho)) / (1 - rho)
    square = steps - 2 * rho * (1 - rho**steps) / (1 - rho) + rho**2 * (1 - rho ** (2 * steps)) / (1 - rho**2)
    assert simplify(WeightSum(1, rho, steps).closed_form() - norm) == 0
    assert simplify(WeightSquares(1, rho, steps).closed_form() - square / (1 - rho) ** 2) == 0
    alpha = eta * mu_prox
    pulled = (1 - (1 - alpha) ** tau) / alpha
    assert simplify(WeightSum(1 - alpha, 0, tau).closed_form() - pulled) == 0
    decayed = (1 - decay ** (2 * tau)) / (1 - decay**2)
    assert simplify(WeightSquares(decay, 0, tau).closed_form() - decayed) == 0


def test_many_digits_and_no_cancellation() -> None:
    near = WeightSum(1 - Rational(1, 10**20), 0, 3000).evalf(40)
    assert abs(near - (3000 - Rational(3000 * 2999, 2 * 10**20))) < Float(10) ** -30


def test_slope_is_that_of_the_sum() -> None:
    a, b = symbols("a b", positive=True)
    for kind in (WeightSum, WeightSquares):
        slope = kind(a, b, 4).diff(a)
        exact = sum(w ** (1 if kind is WeightSum else 2) for w in by_hand(a, b, 4)).diff(a)
        point = {a: Rational(1, 3), b: Rational(1, 5)}
        assert simplify(slope.subs(point) - exact.subs(point)) == 0
