"""The scalar prover: what is true is proved, what is false gets a counterexample, by both methods."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest
from sympy import QQ, Symbol, field, ring

from boundkit.proofs.scalar_inequalities import Interval, evaluate, prove

K, x, y = field("x, y", QQ)
X, Y = Symbol("x"), Symbol("y")
UNIT = {X: Interval.of(0, 1), Y: Interval.of(0, 1)}
RAY = {X: Interval.of(0, None, True), Y: Interval.of(1)}


@pytest.mark.parametrize(
    ("expr", "box", "strict"),
    [
        (1 - x * y, UNIT, False),
        ((x - y) ** 2, UNIT, False),
        (2 - x - y + x * y, UNIT, True),
        (x / (1 + y), RAY, True),
        (y - 1, RAY, False),
        ((x**2 - x + QQ(1, 3)) / (y**2 + 1), UNIT, True),
        ((x - y) / (x - 2), {X: Interval.of(0, 1), Y: Interval.of(1, 2)}, False),
    ],
)
def test_true_inequalities_are_proved(expr: object, box: dict[Symbol, Interval], strict: bool) -> None:
    assert prove(expr, box, (), strict).status == "proved"


@pytest.mark.parametrize(
    ("expr", "box", "strict"),
    [
        (x * y - QQ(999, 1000), UNIT, False),
        (1 - x * y, UNIT, True),
        (1000 - x * y, RAY, False),
        (x**2 - x + QQ(24, 100), UNIT, False),
        ((x - QQ(1, 2)) ** 2 - QQ(1, 10**6), UNIT, False),
        (K(0), UNIT, True),
    ],
)
def test_false_inequalities_have_a_counterexample(
    expr: object, box: dict[Symbol, Interval], strict: bool
) -> None:
    decision = prove(expr, box, (), strict)
    assert decision.status == "refuted"
    if expr == 0:
        return
    point = {X: Fraction(1), Y: Fraction(1), **decision.point}
    value = evaluate(expr.numer, point) / evaluate(expr.denom, point)  # type: ignore[attr-defined]
    assert value < 0 or (strict and value == 0)
    for letter, interval in box.items():
        assert point[letter] >= interval.lower
        assert interval.upper is None or point[letter] <= interval.upper


def test_a_denominator_that_may_vanish_is_never_divided_by() -> None:
    decision = prove(1 / (x - QQ(1, 2)) ** 2, UNIT)
    assert decision.status == "unknown"
    assert "may vanish" in decision.method


def test_constraints_cut_the_box() -> None:
    R, a, b = ring("x, y", QQ)
    inside = QQ(1, 12) - a**2 * b
    assert prove(K(QQ(7, 24) - 1 * a * b), UNIT, (), False).status == "refuted"
    assert prove(K(QQ(7, 24) - a * b), UNIT, (inside,), False).status == "proved"
    assert inside.ring == R


def test_the_solver_decides_what_coefficients_do_not() -> None:
    pytest.importorskip("z3")
    hidden = (x - QQ(1, 3)) ** 2 + (y - QQ(1, 7)) ** 2 + QQ(1, 10**9)
    assert prove(hidden, UNIT, most=1).method == "z3"
    refuted = prove(hidden - QQ(2, 10**9), UNIT, most=1)
    assert (refuted.status, refuted.method) == ("refuted", "z3")


def test_without_the_solver_nothing_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    hidden = (x - QQ(1, 3)) ** 2 + (y - QQ(1, 7)) ** 2 + QQ(1, 10**9)
    assert prove(hidden, UNIT, most=1).status == "unknown"
    assert prove(hidden, UNIT, most=1).method == "z3 is missing"


def test_a_false_inequality_of_many_letters_is_refuted_without_halving(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Halving six axes would take many boxes; a simple point of the box shows it at once."""
    monkeypatch.setitem(sys.modules, "z3", None)
    _, *letters = field("v0:6", QQ)
    box = {Symbol(f"v{k}"): Interval.of(0, 1) for k in range(6)}
    spread = sum((each - QQ(1, 2)) ** 2 for each in letters)
    refuted = prove(spread - QQ(1, 2), box, most=1)
    assert refuted.status == "refuted"
    assert sum((value - Fraction(1, 2)) ** 2 for value in refuted.point.values()) < Fraction(1, 2)
    above = letters[0].numer - letters[1].numer
    inside = prove(spread - QQ(1, 2), box, (above,), most=1).point
    assert inside[Symbol("v0")] >= inside[Symbol("v1")]
    assert prove(spread + QQ(1, 10**6), box, most=1).status == "unknown"
