"""Clipped gradient descent: the lemmas on relaxed-smooth losses, certificates, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, vocabulary
from boundkit.algebra.notation import L0, L1, T, clip, eta, target
from boundkit.proofs.certificates.clipped_gd_relaxed_smooth import PROOF as DECREASE
from boundkit.proofs.certificates.clipped_gd_relaxed_smooth_rounds import PROOF as ROUNDS
from boundkit.proofs.checker import check
from boundkit.proofs.clipped_steps import CLIPPED_DESCENT, ROUNDS_ABOVE, clipped_decrease, rounds_above
from boundkit.proofs.lemmas import DESCENT
from boundkit.proofs.proof_check import END
from boundkit.proofs.rounds import decrease, round_of
from tests.proofs.changes import assuming, names_of, scaled

HALF = Rational(1, 2)


def violations(c: Rational) -> int:
    """Steps on F = (L0/L1^2) (cosh(L1 x) - 1), whose curvature is L0 cosh(L1 x), that descend less."""
    form = CLIPPED_DESCENT.conclude(round_of(DECREASE.theorem), h=HALF, c=c).form
    rng, result = np.random.default_rng(2), 0
    for _ in range(300):
        smooth, growth = rng.choice([0.1, 1.0, 5.0], size=2)
        x, rate = rng.normal() * 4 / growth, rng.choice([0.3, 1.0]) / (2 * smooth)
        limit = rng.choice([0.1, 1.0]) / (2 * growth)
        slope = smooth / growth * np.sinh(growth * x)
        moved = x - slope * min(rate, limit / abs(slope))
        fall = smooth / growth**2 * (np.cosh(growth * x) - np.cosh(growth * moved))
        factor = float(form[clipped_decrease].subs({L0: smooth, L1: growth, eta: rate, clip: limit}))
        least = min(rate * slope**2, limit * abs(slope))
        result += float(form[decrease]) * fall + factor * least < -1e-9 * least
    return result


def test_a_clipped_step_descends_as_the_lemma_says() -> None:
    assert violations(Rational(119, 200)) == 0
    assert violations(Rational(1, 5)) > 0


def least_decrease(smooth: float, growth: float, a: float, b: float) -> float:
    """The least of (a/u^2 + b/u) times the decrease in units of clip^2/eta, for u = eta ||g||/clip."""
    u = np.geomspace(1e-4, 1e4, 20_001)
    length = np.minimum(u, 1) * growth  # L1 times that of the step
    fall = np.minimum(u, 1) * u - (smooth + growth * u) * (np.expm1(length) - length) / growth**2
    return float(((a / u**2 + b / u) * fall).min())


def test_rounds_above_the_target_are_counted() -> None:
    numbers = {"h": HALF, "c": Rational(119, 200), "a": Rational(4, 3), "b": Rational(10, 7)}
    conclusion = ROUNDS_ABOVE.conclude(round_of(ROUNDS.theorem), **numbers)
    factor = conclusion.form[decrease].subs({T: 7, eta: HALF, clip: 3, target: Rational(1, 10)})
    assert conclusion.form[rounds_above] == -1
    assert float(factor) == pytest.approx(7 * (4 / 3 / (0.5 * 0.1**2) + 10 / 7 / (3 * 0.1)))
    rng = np.random.default_rng(3)
    for smooth, growth in [(0.5, 0.5), *(0.5 * (1 - rng.random((20, 2)) ** 2))]:
        assert least_decrease(smooth, growth, 4 / 3, 10 / 7) >= 1 - 1e-9
    for a, b in ((1.32, 10 / 7), (4 / 3, 1.33)):
        assert least_decrease(0.5, 0.5, a, b) < 1


def test_what_is_refused() -> None:
    assert names_of(check(scaled(DECREASE, {"initial gap": 0.98}))) == [END]
    assert check(scaled(DECREASE, {"initial gap": 0.99})).proved
    for label in ("initial gap", "clipping"):
        assert names_of(check(scaled(ROUNDS, {label: 0.99}))) == [END]
    for short in ({"a": Rational(13, 10)}, {"b": Rational(7, 5)}, {"c": HALF}):
        assert (
            names_of(check(ROUNDS.changed("rounds above the target", short)))[0] == "rounds above the target"
        )
    assert names_of(check(DECREASE.changed("descent", {"c": HALF}))) == ["descent"]
    assert names_of(check(DECREASE.changed("descent", {"h": Rational(1, 3)}))) == ["descent"]
    assert END in names_of(check(DECREASE.without("telescoping")))
    assert DESCENT.missing(DECREASE.theorem)
    for added in (vocabulary.SMOOTH, vocabulary.BOUNDED_NOISE):
        with pytest.raises(BoundkitError, match=f"assumes {added.name}"):
            round_of(assuming(DECREASE.theorem, added))
