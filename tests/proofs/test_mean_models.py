"""The lemmas on means and variances of local models where noise leads past a kink, and false ones there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import Rational

from boundkit.algebra.notation import L, eta, m, mu, sigma, tau
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, data, square
from boundkit.proofs.mean_models import (
    CONVEX_MEAN_BIAS,
    CONVEX_MEAN_DISPLACEMENT,
    CONVEX_MODEL_VARIANCE,
    MEAN_DRIFT,
    NOISY_THREE_POINTS,
    mean_displacement,
    mean_drift,
    model_variance,
)
from boundkit.proofs.rounds import X, a, e, g, loss_gap, o, round_of, square_distance
from boundkit.theorems import theorem
from tests.proofs.changes import violations
from tests.proofs.rounds import RandomRound, gram_values, mean_values

CONVEX, CURVED = theorem("fedavg_convex_partial"), theorem("fedavg_strongly_convex_partial")
ARGUMENTS: list[tuple[Lemma, dict[str, Any]]] = [
    (NOISY_THREE_POINTS, {}),
    (NOISY_THREE_POINTS, {"part": 1}),
    (NOISY_THREE_POINTS, {"part": Rational(1, 3), "v": Rational(1, 4), "of": a - o}),
    (CONVEX_MODEL_VARIANCE, {}),
    (CONVEX_MEAN_DISPLACEMENT, {"y": Rational(1, 10)}),
    (CONVEX_MEAN_DISPLACEMENT, {"y": 3}),
    (CONVEX_MEAN_BIAS, {"y": Rational(1, 10)}),
    (CONVEX_MEAN_BIAS, {"y": 3}),
    (MEAN_DRIFT, {"y": Rational(1, 2)}),
]


def kinked_round(
    knees: np.ndarray,
    signs: np.ndarray,
    slopes: np.ndarray,
    x: float,
    steps: int,
    curvature: float,
    chance: float,
) -> RandomRound:
    """A round of eta = 0.3/tau on losses with gradients slope + curvature x + (1 - curvature) sign (sign (x -
    knee))_+, with noise that rarely jumps; all paths of the noise are enumerated."""
    step = 0.3 / steps
    jump, back = 1.0, -chance / (1 - chance)

    def gradients(client: int, at: Any) -> Any:
        past = np.maximum(signs[client] * (at - knees[client]), 0.0)
        return slopes[client] + curvature * at + (1 - curvature) * signs[client] * past

    def losses(client: int, at: Any) -> Any:
        past = np.maximum(signs[client] * (at - knees[client]), 0.0)
        return slopes[client] * at + curvature * at**2 / 2 + (1 - curvature) * past**2 / 2

    clients = range(len(knees))
    low, high = -1e3, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if sum(gradients(i, middle) for i in clients) > 0 else (middle, high)
    means, squares, variance, drift = [], 0.0, 0.0, 0.0
    for i in clients:
        y, weight, total = np.array([x]), np.ones(1), 0.0
        for _ in range(steps):
            mean = weight @ y
            squares += (mean - x) ** 2 / steps
            variance += weight @ (y - mean) ** 2 / steps
            drift += (mean - x) / steps
            total += weight @ gradients(i, y) / steps
            moved = y - step * gradients(i, y)
            y = np.concatenate([moved + jump, moved + back])
            weight = np.concatenate([chance * weight, (1 - chance) * weight])
        means.append(total)
    count = len(knees)
    own = np.array([[gradients(i, x)] for i in clients])
    vectors = {
        g: own,
        e: own - np.array(means)[:, None],
        X: np.full((count, 1), x - low),
        o: np.array([[gradients(i, low)] for i in clients]),
    }
    atoms = {
        loss_gap: float(np.mean([losses(i, x) - losses(i, low) for i in clients])),
        square_distance: (x - low) ** 2,
        mean_displacement: squares / count,
        model_variance: variance / count,
        mean_drift: (drift / count) ** 2,
        data(sigma**2): chance / (1 - chance) / step**2,
    }
    for u, one in vectors.items():
        for v, other in vectors.items():
            for first, second in ((u, v), (u.mean, v.mean)):
                pair = mean_values(first, one) * mean_values(second, other)
                atoms |= gram_values(first, second, float(pair.sum(axis=1).mean()))
    return RandomRound({L: 1.0, mu: curvature, eta: step, tau: steps, m: count}, atoms)


def _random(seed: int, curvature: float) -> RandomRound:
    rng = np.random.default_rng(seed)
    count, steps = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    knees, slopes = rng.normal(size=count), rng.normal(size=count) * rng.choice([0.0, 0.1])
    signs = rng.choice([-1.0, 1.0], size=count)
    signs[0], slopes[0] = 1.0, -0.05 - count * np.abs(slopes).max()
    chance = float(rng.choice([0.3, 0.03, 0.001]))
    return kinked_round(knees, signs, slopes, 2 * rng.normal(), steps, curvature, chance)


@pytest.mark.parametrize(("setting", "curvature"), [(CONVEX, 0.0), (CURVED, 0.02), (CURVED, 0.5)])
def test_the_lemmas_hold_where_noise_leads_past_a_kink(setting: Any, curvature: float) -> None:
    rounds = [_random(seed, curvature) for seed in range(150)]
    for lemma, arguments in ARGUMENTS:
        assert violations(lemma.conclude(round_of(setting), **arguments), rounds) == 0, lemma.name


def _halfway() -> RandomRound:
    """Models rest on the flat part, and rarely jump: half of the jump is past the kink."""
    return kinked_round(np.array([0.5]), np.ones(1), np.array([-1e-7]), 0.0, 2, 0.0, 1e-6)


@pytest.mark.parametrize(
    ("lemma", "arguments", "less"),
    [
        (NOISY_THREE_POINTS, {"part": 1}, LinearForm({model_variance: L / 100})),
        (CONVEX_MODEL_VARIANCE, {}, LinearForm({model_variance: Rational(1, 100)})),
        (CONVEX_MEAN_BIAS, {"y": 1000}, (eta * L) ** 2 / 15 * LinearForm({data(sigma**2): 1})),
        (MEAN_DRIFT, {"y": Rational(1, 2)}, square(g) + LinearForm({mean_drift: Rational(1, 2)})),
    ],
)
def test_smaller_constants_fail_there(lemma: Lemma, arguments: dict[str, Any], less: LinearForm) -> None:
    conclusion = lemma.conclude(round_of(CONVEX), **arguments)
    smaller = Conclusion(conclusion.form - less)
    at_the_knee = kinked_round(np.zeros(1), np.ones(1), np.array([-1e-7]), 0.0, 2, 0.0, 0.5)
    rounds = [_halfway(), at_the_knee, *(_random(seed, 0.0) for seed in range(150))]
    assert violations(smaller, rounds) > 0
