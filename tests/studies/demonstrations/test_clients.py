"""What demonstrations on networks build of their clients, and what they measure."""

from dataclasses import replace

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.data import Dataset, load_dataset
from boundkit.studies.demonstrations._modified_tasks import LossOnlyTask, first_index_below, with_measure
from boundkit.studies.demonstrations._training import TrainingResult
from boundkit.studies.demonstrations.cyclic_groups_on_digits import CLIENTS, EXACT, POINTS, SortedTask
from boundkit.studies.demonstrations.cyclic_groups_on_digits import _blamed as blamed
from boundkit.studies.demonstrations.label_flipping import FlippedTask

SPLIT = {"kind": "dirichlet", "num_partitions": 12, "alpha": 0.5, "min_partition_size": 5}


def test_clients_weigh_the_same_and_no_gradient_is_observed() -> None:
    task = LossOnlyTask(SPLIT, "softmax", batch=4)
    problem = task.problem(3)
    assert problem.p.tolist() == [1 / 12] * 12
    assert replace(task, equal=False).problem(3).p == pytest.approx(problem.federation.shares)
    seen = problem.observe(problem.initial_point({"seed": 0})[None])
    assert "loss_spread" in seen
    assert "gradient_norm_squared" not in seen
    assert task.problem(3, 7).batch == 7
    assert replace(task, exact=True).problem(3).batch is None


def test_the_optimum_is_that_of_the_mean_of_the_clients_losses_and_sought_once() -> None:
    task = LossOnlyTask(SPLIT, "softmax", batch=4, l2=0.1, settled=True)
    problem = task.problem(1)
    assert problem.optimum is not None
    assert task.problem(1).optimum is replace(task, batch=9, order="shuffled").problem(1).optimum
    there = problem.without_noise().client_gradients(problem.optimum)
    assert np.linalg.norm(there, axis=1).min() > 1e-2  # of each client alone it is none
    assert np.abs(there.mean(axis=0)).max() < 1e-6


def test_flipped_clients_replace_every_label_and_others_none() -> None:
    honest = LossOnlyTask(SPLIT, "softmax").problem(2).federation
    mixed = FlippedTask(SPLIT, "softmax", flipped=3).problem(2).federation
    np.testing.assert_array_equal(honest.X, mixed.X)
    flipped = [bool((mixed.y[mixed.owner == i] == 9 - honest.y[honest.owner == i]).all()) for i in range(12)]
    unchanged = [bool((mixed.y[mixed.owner == i] == honest.y[honest.owner == i]).all()) for i in range(12)]
    assert sum(flipped) == 3
    assert [not f for f in flipped] == unchanged
    data = load_dataset("digits")  # which is not written to
    rows = np.concatenate(LossOnlyTask(SPLIT, "softmax").rows(data, 2))
    assert (data.y[rows] == honest.y).all()


def test_sorted_clients_have_as_many_points_and_neighbours_are_alike() -> None:
    clients = SortedTask({}, "softmax", batch=22).problem(0).federation
    assert clients.sizes.tolist() == [POINTS] * CLIENTS
    assert (np.diff(clients.y) >= 0).all()
    data = load_dataset("digits")
    rows = [np.concatenate(SortedTask({}, "softmax").rows(data, seed)) for seed in (0, 1)]
    assert [len(np.unique(own)) for own in rows] == [CLIENTS * POINTS] * 2
    assert (rows[0] != rows[1]).any()
    with pytest.raises(BoundkitError, match="need more than 10 points"):
        SortedTask({}, "softmax").rows(_first(10), 0)


def _first(n: int) -> Dataset:
    data = load_dataset("digits")
    return replace(data, X=data.X[:n], y=data.y[:n])


def test_what_theory_blames_adds_up() -> None:
    """Spread inside groups and between them is the spread of all, whatever the number of groups."""
    problem = EXACT.problem(0)
    assert problem.optimum is not None
    own = problem.client_gradients(problem.optimum)
    spread = float((own**2).sum(axis=1).mean())  # their mean is 0 at the optimum
    one, two, eight = (blamed(problem, K) for K in (1, 2, 8))
    assert one.draw == pytest.approx(spread * 14 / (2 * 15), rel=1e-6)
    assert one.order == eight.draw == 0
    halves = own.reshape(2, 8, -1).mean(axis=1)
    between = float((halves**2).sum(axis=1).mean())
    assert two.draw == pytest.approx((spread - between) * 6 / (2 * 7), rel=1e-6)
    assert two.order == pytest.approx(between, rel=1e-6)  # two groups are equally far from their mean


def test_the_first_look_at_a_level() -> None:
    values = np.array([[5.0, 3.0, 4.0, 1.0], [5.0, 4.0, 3.5, 3.2]])
    assert first_index_below(values, np.array([3.0, 3.0])).tolist() == [1, 4]
    with pytest.raises(BoundkitError, match="2 replicas need as many levels"):
        first_index_below(values, np.array([3.0]))
    trained = TrainingResult({"a": {"loss": values}}, last=2)
    assert with_measure(trained, "first", {"a": values[:, 0] + 1}).each("a", "first").tolist() == [6, 6]
    assert trained.each("a", "loss").tolist() == [2.5, 3.35]
