from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, Float, Integer, Le, Max, Min, Mul, Piecewise, Rational, Symbol, exp, log, pi, sqrt

from boundkit.algebra.dimension import (
    GRADIENT,
    LENGTH,
    LOSS,
    ONE,
    STEP,
    Dimension,
    check_relation,
    dimension_of,
    lost_unit,
)
from boundkit.algebra.errors import DimensionError
from boundkit.algebra.notation import ALPHABET, C, L, T, distance, eta, gap, m, mu, sigma, sigma_g, tau
from tests.cases import each

UNITS = {q: q.dimension for q in ALPHABET.values()}
EXPONENTS = st.fractions(min_value=-3, max_value=3, max_denominator=4)


def dim(expr: object) -> Dimension | None:
    return dimension_of(expr, UNITS)


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from(list(ALPHABET.values())), EXPONENTS, min_size=1))
def test_monomial_multiplies_the_powers_of_its_units(powers: dict[Symbol, Fraction]) -> None:
    expr, expected = Integer(3), ONE
    for quantity, power in powers.items():
        expr = expr * quantity ** Rational(power.numerator, power.denominator)
        expected = expected * quantity.dimension**power
    assert dim(expr) == expected


@settings(max_examples=30)
@given(EXPONENTS, EXPONENTS, EXPONENTS, EXPONENTS)
def test_dimensions_form_a_group(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    one, other = Dimension(a, b), Dimension(c, d)
    assert one * other == other * one
    assert one * other / other == one
    assert one / one == ONE
    assert (one * other) ** Fraction(1, 2) == one ** Fraction(1, 2) * other ** Fraction(1, 2)


@settings(max_examples=30)
@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_dimension_says_how_an_expression_scales_when_the_units_change(loss: float, length: float) -> None:
    expr = 12 * eta**2 * L * sigma**3 * sqrt(gap) / mu
    dimension = dim(expr)
    assert dimension is not None
    scaled = {
        q: q * loss ** float(UNITS[q].loss) * length ** float(UNITS[q].length) for q in expr.free_symbols
    }
    ratio = float(expr.subs(scaled, simultaneous=True) / expr)
    assert ratio == pytest.approx(loss ** float(dimension.loss) * length ** float(dimension.length), rel=1e-9)


@each(
    ("dimension", "text"),
    [
        (ONE, "1 (no unit)"),
        (STEP, "[x]^2/[F]"),
        (GRADIENT**2, "[F]^2/[x]^2"),
        (ONE / LENGTH, "1/[x]"),
        (ONE / (LOSS * LENGTH), "1/([F] [x])"),
        (LOSS * LENGTH, "[F] [x]"),
        (LOSS ** Fraction(1, 2), "[F]^(1/2)"),
    ],
)
def test_dimension_prints_as_people_write_it(dimension: Dimension, text: str) -> None:
    assert str(dimension) == text


@each(
    ("expr", "expected"),
    [
        (Integer(0), None),
        (Mul(0, L, evaluate=False), None),
        (Mul(0, sigma, evaluate=False) ** 2 + gap, LOSS),
        (Integer(7), ONE),
        (pi, ONE),
        (sqrt(L * gap), GRADIENT),
        (sigma**2 + L * gap, GRADIENT**2),
        (Max(0, gap, mu * distance**2), LOSS),
        (Min(1 / (2 * L * tau), eta), STEP),
        (Max(1, eta * L), ONE),
        (Abs(sigma - sigma_g), GRADIENT),
        (exp(-mu * eta * T), ONE),
        (log(sigma**2 / (L * gap)), ONE),
        ((1 - mu * eta) ** T * distance**2, LENGTH**2),
        (2**T, ONE),
        ((eta * L) ** tau, ONE),
        ((1 - eta * L) ** Float(0.3), ONE),
    ],
)
def test_dimension_of_hard_cases(expr: object, expected: Dimension | None) -> None:
    assert dim(expr) == expected


@each(
    ("expr", "named"),
    [
        (1 + sigma**2, ["1 (no unit)", "[F]^2/[x]^2", "adds"]),
        (gap + sigma, ["[F]", "[F]/[x]", "adds"]),
        (Max(eta, L), ["[x]^2/[F]", "[F]/[x]^2", "compares"]),
        (Min(1, eta), ["[x]^2/[F]", "1 (no unit)", "compares"]),
        (tau * (eta - C), ["[x]^2/[F]", "1 (no unit)"]),
        (exp(eta), ["argument of exp", "[x]^2/[F]"]),
        (log(gap), ["argument of log", "[F]"]),
        (eta**T, ["[x]^2/[F]", "power T"]),
        (2**eta, ["exponent", "[x]^2/[F]"]),
        (L ** Float(0.5), ["[F]/[x]^2", "not a fixed fraction"]),
        (L**pi, ["[F]/[x]^2", "power pi"]),
        (Symbol("c_1") * eta, ["c_1", "no dimension"]),
        (Piecewise((eta, tau > 1), (0, True)), ["no rule", "Piecewise"]),
    ],
)
def test_unlike_things_are_refused_and_both_dimensions_named(expr: object, named: list[str]) -> None:
    with pytest.raises(DimensionError) as error:
        dim(expr)
    for words in named:
        assert words in str(error.value)
    assert str(error.value).endswith(".")


def test_condition_compares_like_with_like() -> None:
    check_relation(Le(eta, 1 / (8 * L * tau)), UNITS)
    check_relation(Le(sigma - sigma_g, 0), UNITS)
    with pytest.raises(DimensionError, match=r"compares \[x\]\^2/\[F\] with 1 \(no unit\); a step size"):
        check_relation(Le(eta, 1 / (8 * tau)), UNITS)
    with pytest.raises(DimensionError, match=r"compares 1 \(no unit\) with \[F\]"):
        check_relation(Le(m, gap), UNITS)


def test_hint_comes_where_a_step_may_have_lost_its_unit_and_only_there() -> None:
    hint = "a step size replaced by a number loses its unit"
    assert hint in lost_unit(LOSS, GRADIENT**2)  # gap/sqrt(m tau T) as a squared gradient
    assert hint in lost_unit(ONE, GRADIENT**2)
    assert hint in lost_unit(ONE, STEP)
    assert lost_unit(LOSS, LENGTH) == ""
    assert lost_unit(GRADIENT, GRADIENT**2) == ""
