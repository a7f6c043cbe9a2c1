"""FedAvg's sharper constants under convexity: attacked; their proofs are checked by machine."""

from itertools import product

import numpy as np
import pytest

from boundkit.theorems import theorem
from tests.cases import each
from tests.representatives import audits
from tests.theorems.outcomes import one_of_two
from tests.theorems.quadratics import bound, draw, inside, squares

CONVEX, STRONG = "fedavg_convex_partial_sharp", "fedavg_strongly_convex_partial_sharp"


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


@each(("name", "near"), audits([(CONVEX, 0.4), (STRONG, 0.9)]))
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
    assert attained <= 8 / 15 <= 1.1 * attained
