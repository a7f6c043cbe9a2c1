"""FedAU: its weights by hand, where they settle, and the bias that a cutoff leaves."""

from typing import Any

import numpy as np
import pytest

from boundkit.simulation.algorithms.fedau import mean_intervals
from boundkit.simulation.engines import trajectory
from boundkit.simulation.surrogate import surrogate_weights
from tests.cases import each
from tests.simulation.algorithms.rounds import run


@each(("q", "K"), [(0.1, 50), (0.02, 50), (0.3, 3), (0.7, 1), (1.0, 4), (0.0, 5)])
def test_a_cut_interval_is_geometric(q: float, K: int) -> None:
    expected = (1 - (1 - q) ** K) / q if q else K
    np.testing.assert_allclose(mean_intervals(np.array([[q]]), K), expected, rtol=1e-13)


def recorded(came: Any, K: int | None) -> list[int]:
    """The intervals of one client, of whom it is given whether it came in each round."""
    records, since = [], 0
    for c in came:
        since += 1
        if c or since == K:
            records.append(since)
            since = 0
    return records


@each("K", [1, 2, 3, 4, 7, 12, None])
def test_mean_intervals_under_a_schedule(K: int | None) -> None:
    schedule = [[0], [], [0, 1], [], [], [0], [3, 0]]
    probabilities = np.array([[i in round for i in range(4)] for round in schedule], dtype=float)
    for i, settled in enumerate(mean_intervals(probabilities, K)):
        records = recorded(np.tile(probabilities[:, i], 12 * 400), K)
        assert settled == pytest.approx(np.mean(records or [1]), rel=1e-3)


@each("K", [2, 5, 13, None])
def test_mean_intervals_for_probabilities_that_vary_over_rounds(K: int | None) -> None:
    rng = np.random.default_rng(2)
    q = rng.uniform(0, 0.6, (5, 3))
    q[3, 1] = 0.0
    came = rng.random((10_000, 5, 3)).reshape(-1, 3) < np.tile(q, (10_000, 1))
    for i in range(3):
        records = recorded(came[:, i], K)
        error = 5 * np.std(records) / np.sqrt(len(records))
        assert abs(mean_intervals(q, K)[i] - np.mean(records)) < error


OMEGA = [1.0, 2.5, 0.5, 4.0]
Q = [0.9, 0.4, 1.0, 0.25]
BERNOULLI = {"kind": "bernoulli", "probabilities": Q}


def test_a_round_with_fixed_weights_by_hand() -> None:
    some = run("fedau", schedule=[[1, 3]], local_steps=1, eta=0.1, eta_s=2.0, rounds=1,
               options={"weights": OMEGA})  # fmt: skip
    x = some.x0
    g = some.problem.client_gradients(x[None])[0]
    expected = x - 2.0 * 0.1 / 4 * (2.5 * g[1] + 4.0 * g[3])
    np.testing.assert_allclose(trajectory(some, "step").x[1], expected, rtol=1e-13)


def test_the_surrogate_weights_are_weight_times_probability() -> None:
    found = surrogate_weights(
        run("fedau", participation=BERNOULLI, local_steps=2, options={"weights": OMEGA})
    )
    mass = np.array(OMEGA) * Q
    assert found is not None
    np.testing.assert_allclose(found, mass / mass.sum(), rtol=1e-13)
