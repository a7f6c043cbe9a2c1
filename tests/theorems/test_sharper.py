"""FedAvg's sharper constants: attacked, and nearly attained; their proofs are checked by machine."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each
from tests.representatives import audits
from tests.theorems.outcomes import one_of_two
from tests.theorems.quadratics import bound, draw, inside, squares

LABELS = ("initial gap", "stochastic noise", "noise drift", "partial participation", "client drift")
CONSTANTS = {
    "fedavg_nonconvex_partial_sharp": (F(13, 10), F(4, 5), F(1), F(3, 4), F(1, 2)),
    "fedavg_nonconvex_partial_long_steps": (F(7, 3), F(15, 8), F(1), F(8, 5), F(7, 16)),
}
LARGEST = {"fedavg_nonconvex_partial_sharp": (8, 24), "fedavg_nonconvex_partial_long_steps": (4, 1)}
"""1/(eta L tau) and 1/(eta_s eta L tau) at the largest steps."""


# Attacks on the whole bound, at the largest steps


def largest(name: str, steps: int) -> tuple[float, float]:
    """eta and eta_s where both conditions are met with equality, at L = 1."""
    client, both = LARGEST[name]
    return 1 / (client * steps), client / both


@each("name", audits(CONSTANTS))
def test_exact_runs_on_quadratics_at_the_largest_steps(name: str) -> None:
    rng, statement, best = np.random.default_rng(0), theorem(name), 0.0
    for _ in range(80):
        q, steps, rounds = draw(rng), int(rng.integers(1, 12)), int(rng.integers(1, 400))
        come = int(rng.integers(1, len(q.p) + 1))
        client, server = largest(name, steps)
        client *= float(rng.choice([1, 0.3])) / q.h.max()
        server *= float(rng.choice([1, 0.3, 3])) if client * steps * q.h.max() < 0.9 / LARGEST[name][0] else 1
        values = {
            **q.known, "tau": steps, "T": rounds, "C": come / len(q.p), "eta": client, "eta_s": server,
            "sigma": q.s[0],
        }  # fmt: skip
        if inside(statement, **values):
            seen = (squares(q, steps, rounds, client, server, come)[:-1] @ q.h**2).mean()
            best = max(best, seen / bound(statement, **values))
    assert 0.5 < best <= 1


LOSSES = (
    (lambda x: x / (1 + x**2), lambda x: np.log(1 + x**2) / 2),
    (np.sin, lambda x: 1 - np.cos(x)),
    (lambda x: np.maximum(x, 0), lambda x: np.maximum(x, 0) ** 2 / 2),
)


@each("name", CONSTANTS)
@each(("steps", "rounds"), [(1, 6), (2, 4), (3, 3), (6, 1)])
def test_sampling_without_convexity_over_all_outcomes(name: str, steps: int, rounds: int) -> None:
    statement = theorem(name)
    step, server = largest(name, steps)
    for (slope, loss), noise, x0, apart in product(LOSSES, (0.0, 1.5), (0.0, 1.0, 5.0), (0.0, 1.0, 8.0)):
        values = {
            "m": 2, "C": 0.5, "tau": steps, "T": rounds, "eta": step * (1 - 1e-12), "eta_s": server, "L": 1,
            "sigma": noise, "sigma_g": apart, "gap": float(loss(np.array(x0))),
        }  # fmt: skip
        assert inside(statement, **values)
        models = one_of_two(slope, apart, steps, rounds, step, server, noise, x0)
        seen = np.mean([(slope(x) ** 2).mean() for x in models[:-1]])
        assert seen <= bound(statement, **values) * (1 + 1e-9)


# How near: runs whose bound is one term alone, at small steps


def floor_of_two(curved: Array, best: Array, rate: float, steps: int) -> tuple[float, float]:
    """FedAvg's resting place without noise: the squared gradient, and the dissimilarity, there."""
    pull = 1 - (1 - rate * curved) ** steps
    gradients = curved * (pull @ best / pull.sum() - best)
    return float(gradients.mean() ** 2), float(gradients.var())


def test_what_no_proof_can_beat_as_the_remark_says() -> None:
    """1 for the initial gap, 1/2 for noise and participation, and 1/4 for the drifts."""
    stated = dict(zip(LABELS, CONSTANTS["fedavg_nonconvex_partial_sharp"], strict=True))
    attained = {}
    rate, steps = 1e-5, 200
    s = rate * steps
    # x_0 = 1 + s (T - 1) walks down a straight line of slope 1, which ends as x^2/2
    rounds = 1e6 / s
    attained["initial gap"] = 1 / ((0.5 + s * (rounds - 1)) / (s * rounds))
    # Minima +-1 of x^2/2, one of two clients a round: the stationary variance
    shrink = 1 - (1 - rate) ** steps
    attained["partial participation"] = shrink / (2 - shrink) / s  # (1 - C)/(C (m - 1)) = 1
    attained["stochastic noise"] = 1 / (2 - rate)
    # Curvatures 1 and nearly -1
    squared, unlike = floor_of_two(np.array([1, -1 + 1e-3]), np.array([1.0, -1.0]), rate, steps)
    attained["client drift"] = squared / (rate**2 * steps * (steps - 1) * unlike)
    # Everybody's slope is |x| - rate/2, and the noise +-1: the mean of two steps from x = 0 is 0
    first, second = -rate / 2, np.abs(rate * np.array([rate / 2 + 1, rate / 2 - 1])).mean() - rate / 2
    assert abs(first + second) < 1e-9 * rate
    attained["noise drift"] = first**2 / rate**2
    wanted = {"initial gap": 1.0, "stochastic noise": 0.5, "noise drift": 0.25,
              "partial participation": 0.5, "client drift": 0.25}  # fmt: skip
    assert attained == pytest.approx(wanted, rel=0.01)
    assert all(wanted[label] <= stated[label] <= 4 * wanted[label] for label in LABELS)
