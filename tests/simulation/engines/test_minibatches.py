"""Mini-batches of a client's own points: each as likely as any other, or each once a pass."""

import numpy as np
import pytest

from boundkit.simulation.engines.stochastic_gradients import Minibatches
from boundkit.simulation.random_streams import Streams
from tests.simulation.engines.networks import SIZES, network

EVERYBODY = np.arange(len(SIZES))
STEPS, BATCH, REPLICAS = 9, 4, 3


def drawn(order: str, clients: np.ndarray = EVERYBODY, columns: int = len(SIZES)) -> Minibatches:
    return Minibatches(network(order, BATCH), clients, STEPS, columns, Streams(0, REPLICAS))


def test_every_pass_meets_every_point_of_the_client_once() -> None:
    batches, offsets = drawn("shuffled"), network().federation.offsets
    assert batches.index is not None
    for r in range(REPLICAS):
        for i, size in enumerate(SIZES):
            a_pass = -(-size // BATCH)
            for first in range(0, STEPS - a_pass + 1, a_pass):
                some = slice(first, first + a_pass)
                met = batches.index[r, i, some][batches.weights[r, i, some] > 0]
                assert sorted(met) == list(range(offsets[i], offsets[i + 1]))


def test_weights_of_a_mini_batch_are_a_mean_of_its_points() -> None:
    weights = drawn("shuffled").weights
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0)
    assert set(np.unique((weights[:, 1] > 0).sum(axis=-1))) == {1, 4}  # 9 points: 4, 4 and 1


def test_independent_points_are_of_the_client_and_each_as_likely() -> None:
    batches = Minibatches(network(batch=1000), EVERYBODY, 20, len(SIZES), Streams(0, 1))
    assert batches.index is not None
    assert batches.weights is None
    offsets = network().federation.offsets
    for i, size in enumerate(SIZES):
        own = batches.index[0, i].ravel() - offsets[i]
        counts = np.bincount(own, minlength=size)
        assert len(counts) == size
        deviation = np.sqrt(20_000 / size * (1 - 1 / size))
        assert (abs(counts - 20_000 / size) <= 5 * deviation).all()


@pytest.mark.parametrize("order", ["independent", "shuffled"])
def test_the_draws_of_a_client_do_not_depend_on_the_other_participants(order: str) -> None:
    """Columns are drawn for all; who came uses the first ones."""
    alone, together = drawn(order, np.array([3])), drawn(order, np.array([3, 1]))
    assert alone.index is not None
    assert together.index is not None
    np.testing.assert_array_equal(alone.index[:, 0], together.index[:, 0])
