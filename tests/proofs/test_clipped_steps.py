"""Clipped gradient descent: the lemmas on relaxed-smooth losses, certificates, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra import BoundkitError, vocabulary
from boundkit.algebra.authoring import at_most
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


CONCLUSION = CLIPPED_DESCENT.conclude(round_of(DECREASE.theorem))


def falls(x: float, z: float) -> float:
    """What a step lowers the loss by at least, over min(eta ||g||^2, clip ||g||)."""
    return -float(CONCLUSION.form[clipped_decrease].subs({L0: x, eta: 1, L1: z, clip: 1}))


def violations(slack: float = 0.0) -> int:
    """Steps on F = (L0/L1^2) (cosh(L1 x) - 1), whose curvature is L0 cosh(L1 x), that descend less."""
    rng, result = np.random.default_rng(2), 0
    for _ in range(300):
        smooth, growth = rng.choice([0.1, 1.0, 5.0], size=2)
        x, rate = rng.normal() * 4 / growth, rng.choice([0.3, 1.0]) / (2 * smooth)
        limit = rng.choice([0.1, 1.0]) / (2 * growth)
        slope = smooth / growth * np.sinh(growth * x)
        moved = x - slope * min(rate, limit / abs(slope))
        fall = smooth / growth**2 * (np.cosh(growth * x) - np.cosh(growth * moved))
        least = min(rate * slope**2, limit * abs(slope))
        result += fall < (falls(rate * smooth, limit * growth) + slack - 1e-9) * least
    return result


def test_a_clipped_step_descends_as_the_lemma_says() -> None:
    assert violations() == 0
    assert violations(slack=0.2) > 0


def least_fall(x: float, z: float, turns: Sequence[Callable[[float], float]], count: int = 500) -> float:
    """The least decrease, over its measure at L0 = x, L1 = z, of gradients that turn as fast as they may."""
    result = np.inf
    for u in (0.2, 0.6, 1.0, 1.5, 4.0):
        length = min(u, 1.0)
        for turn in turns:
            gradient, fall = complex(u), 0.0
            for k in range(count):
                fall += gradient.real * length / count
                pace = (x + z * abs(gradient)) * length / count
                gradient += pace * np.exp(1j * turn(k / count)) * gradient / abs(gradient)
            result = min(result, fall / (u * length))
    return result


def test_also_where_the_gradient_turns() -> None:
    """The gradient moves at an angle to itself, pi straight back, that changes along the step."""
    turns = [lambda part, a=a, b=b: a + b * part for a in (np.pi, 2.8, 2.2, 1.6) for b in (0.0, 0.8, -0.8)]
    for x, z in ((0.5, 0.5), (0.1, 0.9), (0.9, 0.1), (0.5, 0.1)):
        assert falls(x, z) - 1e-3 <= least_fall(x, z, turns) <= falls(x, z) + 0.06


def least_decrease(smooth: float, growth: float, a: float, b: float) -> float:
    """The least of (a/u^2 + b/u) times the decrease in units of clip^2/eta, for u = eta ||g||/clip."""
    u = np.geomspace(1e-4, 1e4, 20_001)
    length = np.minimum(u, 1)
    k = 1 / 2 - growth * length / 6 + 5 / 48 * (growth * length) ** 2
    fall = length * u - (smooth + growth * u) * k * length**2
    return float(((a / u**2 + b / u) * fall).min())


def test_rounds_above_the_target_are_counted() -> None:
    conclusion = ROUNDS_ABOVE.conclude(round_of(ROUNDS.theorem), a=Rational(4, 3), b=Rational(9, 7))
    factor = conclusion.form[decrease].subs({T: 7, eta: HALF, clip: 3, target: Rational(1, 10)})
    assert conclusion.form[rounds_above] == -1
    assert float(factor) == pytest.approx(7 * (4 / 3 / (0.5 * 0.1**2) + 9 / 7 / (3 * 0.1)))
    rng = np.random.default_rng(3)
    for smooth, growth in [(0.5, 0.5), *(0.5 * (1 - rng.random((20, 2)) ** 2))]:
        assert least_decrease(smooth, growth, 4 / 3, 9 / 7) >= 1 - 1e-9
    for a, b in ((1.32, 9 / 7), (4 / 3, 1.28)):
        assert least_decrease(0.5, 0.5, a, b) < 1


def test_what_is_refused() -> None:
    assert names_of(check(scaled(DECREASE, {"initial gap": 0.996}))) == [END]
    assert check(scaled(DECREASE, {"initial gap": 0.998})).proved
    for label in ("initial gap", "clipping"):
        assert names_of(check(scaled(ROUNDS, {label: 0.99}))) == [END]
    for short in ({"a": Rational(13, 10)}, {"b": Rational(32, 25)}):
        assert (
            names_of(check(ROUNDS.changed("rounds above the target", short)))[0] == "rounds above the target"
        )
    for proof in (DECREASE, ROUNDS):  # eta L0 + clip L1 may be 4/3
        longer = (at_most(eta, 1 / (2 * L0)), at_most(clip, 5 / (6 * L1)))
        assert not check(proof.of(replace(proof.theorem, step_size=longer))).proved
    assert END in names_of(check(DECREASE.without("telescoping")))
    assert DESCENT.missing(DECREASE.theorem)
    for added in (vocabulary.SMOOTH, vocabulary.BOUNDED_NOISE):
        with pytest.raises(BoundkitError, match=f"assumes {added.name}"):
            round_of(assuming(DECREASE.theorem, added))
