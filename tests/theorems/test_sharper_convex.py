"""FedAvg's sharper constants under convexity: recomputed from their proofs' inequalities, and attacked."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from sympy import Rational, simplify

from boundkit.algebra.notation import C, L, T, distance, eta, eta_s, m, mu, sigma, sigma_g, tau
from boundkit.theorems import theorem
from tests.cases import each
from tests.theorems.outcomes import one_of_two
from tests.theorems.quadratics import bound, draw, inside, squares

CONVEX, STRONG = "fedavg_convex_partial_sharp", "fedavg_strongly_convex_partial_sharp"
STEP = eta_s * eta
UNITS = {
    "initial gap": distance**2 / (STEP * tau * T),
    "stochastic noise": STEP * sigma**2 / (C * m),
    "noise drift": L * eta**2 * (tau - 1) * sigma**2,
    "partial participation": STEP * tau * (1 - C) / (C * (m - 1)) * sigma_g**2,
    "client drift": L * eta**2 * tau * (tau - 1) * sigma_g**2,
}
CONSTANTS = {
    CONVEX: (F(8, 15), F(3, 5), F(7, 20), F(5, 8), F(1, 4)),
    STRONG: (F(7, 5), F(4, 5), F(17, 20), F(5, 6), F(3, 5)),
}
"""If strongly convex: the first is the share of mu s by which a round contracts, the others are over mu."""


@each("name", CONSTANTS)
def test_constants_by_hand(name: str) -> None:
    statement = theorem(name)
    assert statement.step_size == theorem(name.removesuffix("_sharp")).step_size
    for (label, unit), share in zip(UNITS.items(), CONSTANTS[name], strict=True):
        expr, wanted = statement.bound.terms[label].expr, Rational(share.numerator, share.denominator)
        if name == CONVEX:
            assert simplify(expr / unit) == wanted, label
        elif label == "initial gap":
            assert simplify(expr - (1 - wanted * mu * STEP * tau) ** T * distance**2) == 0
        else:
            assert simplify(expr / unit * mu) == wanted, label


def test_the_constants_follow_from_the_proof() -> None:
    """At the largest steps, where everything is worst: c = 1/24 and eta L tau = 1/8."""
    c, far = F(1, 24), F(1, 8) ** 2
    gradient, noise = 1 + F(1, 8), 1 + 9 * F(1, 12) ** 2  # Young by 1/8 and 8
    assert (gradient, noise) == (F(9, 8), F(17, 16))
    walk, bias, by_noise = gradient / 3, gradient / 4, noise / 2
    left = 2 - 2 * walk * far - c * (2 * (1 + F(1, 4)) + 2 * (5 + 9) * bias * far)
    assert left >= F(15, 8)
    found = (
        1 / left,
        (1 + 9 * by_noise * far) / left,
        by_noise * (1 + 5 * c) / left,
        (F(9, 8) + 9 * bias * far) / left,
        (walk + 5 * c * bias) / left,
    )
    for stated, proved in zip(CONSTANTS[CONVEX], found, strict=True):
        assert F(9, 10) * stated <= proved <= stated
    assert (left - 2 * walk * far) / 2 + F(1, 2) >= F(7, 5)
    added = (
        1 + 9 * by_noise * far,
        by_noise * (2 + 5 * c),
        F(9, 8) + 9 * bias * far,
        2 * walk + 5 * c * bias,
    )
    for stated, proved in zip(CONSTANTS[STRONG][1:], added, strict=True):
        assert F(9, 10) * stated <= proved / F(7, 5) <= stated


SLOPES = (
    lambda x: np.clip(x, -1, 1),
    lambda x: np.maximum(x, 0),
    lambda x: x / np.sqrt(1 + x**2),
    lambda x: x,
)
LOSSES = (
    lambda x: np.where(abs(x) < 1, x**2 / 2, abs(x) - 0.5),
    lambda x: np.maximum(x, 0) ** 2 / 2,
    lambda x: np.sqrt(1 + x**2) - 1,
    lambda x: x**2 / 2,
)


@each("steps", [2, 5, 9])
def test_walk_and_variance_over_all_outcomes(steps: int) -> None:
    """(i), (ii) and (iii) for one client with L = 1, whose noise is +-sigma at each step."""
    step = 1 / 8 / steps
    signs = np.array(list(product((-1.0, 1.0), repeat=steps)))
    for slope, start, noise in product(SLOPES, (0.0, 0.05, 1.0), (0.0, 0.3, 3.0)):
        x, first = np.full(len(signs), start), float(slope(np.array(start)))
        gradients = np.zeros(steps)
        for k in range(steps):
            assert x.var() <= step**2 * k * noise**2 * (1 + 1e-12) + 1e-24
            limit = step**2 * (9 / 8 * k**2 * first**2 + 17 / 16 * k * noise**2)
            assert ((x - start) ** 2).mean() <= limit * (1 + 1e-12) + 1e-24
            gradients[k] = slope(x).mean()
            x = x - step * (slope(x) + noise * signs[:, k])
        assert (x / (step * steps)).var() <= noise**2 / steps * (1 + 1e-12) + 1e-24
        far = 9 / 32 * first**2 + 17 / 32 * noise**2 / steps
        assert (first - gradients.mean()) ** 2 <= (step * (steps - 1)) ** 2 * far * (1 + 1e-12) + 1e-24


@each(("name", "near"), [(CONVEX, 0.4), (STRONG, 0.9)])
def test_exact_runs_on_quadratics(name: str, near: float) -> None:
    rng, statement, best = np.random.default_rng(3), theorem(name), 0.0
    for _ in range(80):
        q, steps, rounds = draw(rng), int(rng.integers(1, 12)), int(rng.integers(1, 400))
        come = int(rng.integers(1, len(q.p) + 1))
        client = float(rng.choice([1, 0.3])) / (8 * steps * q.h.max())
        server = float(rng.choice([1, 0.3])) / (24 * steps * q.h.max() * client)
        values = {
            **q.known, "tau": steps, "T": rounds, "C": come / len(q.p), "eta": client * (1 - 1e-12),
            "eta_s": server, "sigma": q.s[0],
        }  # fmt: skip
        assert inside(statement, **values)
        series = squares(q, steps, rounds, client, server, come)
        seen = series[-1].sum() if name == STRONG else (series[:-1] @ q.h).mean() / 2
        best = max(best, seen / bound(statement, **values))
    assert near < best <= 1


@each(("steps", "rounds"), [(1, 6), (2, 4), (3, 3), (6, 1)])
def test_sampling_over_all_outcomes(steps: int, rounds: int) -> None:
    """Losses that share a curved part f and have mean f, smallest at 0."""
    step, server = 1 / (8 * steps), 1 / 3
    pairs = zip(SLOPES, LOSSES, strict=True)
    for (slope, loss), noise, x0, apart in product(pairs, (0.0, 1.5), (0.0, 1.0, 5.0), (0.0, 1.0, 8.0)):
        values = {
            "m": 2, "C": 0.5, "tau": steps, "T": rounds, "eta": step * (1 - 1e-12), "eta_s": server, "L": 1,
            "sigma": noise, "sigma_g": apart, "distance": abs(x0),
        }  # fmt: skip
        assert inside(theorem(CONVEX), **values)
        models = one_of_two(slope, apart, steps, rounds, step, server, noise, x0)
        seen = np.mean([loss(x).mean() for x in models[:-1]])
        assert seen <= bound(theorem(CONVEX), **values) * (1 + 1e-9)


def test_half_of_the_start_is_the_least_that_any_proof_can_charge() -> None:
    """A loss that falls in a straight line to its minimum, which is reached as the rounds end."""
    s, rounds = 1 / 24, 240_000
    x = 1 + s * np.arange(rounds, 0, -1)  # Huber's loss, of slope 1 all the way to x = 1
    attained = (x - 0.5).mean() / (x[0] ** 2 / (s * rounds))
    assert attained == pytest.approx(1 / 2, rel=1e-3)
    assert attained <= CONSTANTS[CONVEX][0] <= 1.1 * attained
