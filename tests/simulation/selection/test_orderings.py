"""Attainable orders of losses, and bounds over all orders."""

from itertools import permutations

import numpy as np
import pytest

from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection import Strategy, skew
from boundkit.simulation.selection.orderings import (
    _occurs_in_boxes,
    all_orders,
    is_attainable,
    number_of_orders,
    order_at,
    required_pairs,
)
from boundkit.simulation.selection.pencil import Pencil
from boundkit.simulation.selection.skew_minimum import spread_bound
from tests.cases import each
from tests.representatives import aside


@each(("count", "candidates"), [(1, 2), (2, 3), (2, 5), (3, 4), (2, 2)])
def test_one_representative_for_each_distinguishable_order(count: int, candidates: int) -> None:
    p = np.random.default_rng(0).dirichlet(np.ones(5))
    strategy = Strategy(count, candidates)
    listed = all_orders(np.arange(5), strategy)
    assert len(listed) == number_of_orders(5, strategy)

    def distinct(orders: np.ndarray) -> set[tuple[float, ...]]:
        return set(map(tuple, strategy.shares(p, orders).round(11).tolist()))

    assert distinct(listed) == distinct(np.array(list(permutations(range(5)))))
    assert len(distinct(listed)) == len(listed)


@each("seed", aside(range(3), 1, 2))
def test_the_number_of_orders_in_the_plane(seed: int) -> None:
    # k points in general position in the plane have c(k, k) + c(k, k-1) + c(k, k-2) orders of distance
    q = Quadratic.random(5, 2, seed=seed, dense=True, shared=True, spread=2.0)
    every = [required_pairs(np.array(o), Strategy(1, 2)) for o in permutations(range(5))]
    answers = [is_attainable(Pencil.of(q), pairs) for pairs in every]
    assert sum(map(bool, answers)) == 1 + 10 + 35
    A = Pencil.of(q).matrices
    for pairs, answer in zip(every, answers, strict=True):  # by boxes: ties at infinity stay open
        lead = A[pairs[:, 0]] - A[pairs[:, 1]]
        by_boxes = _occurs_in_boxes(lead / np.abs(lead).max((1, 2), keepdims=True))
        assert by_boxes is None or by_boxes == answer


@each("seed", range(2))
def test_attainable_orders_are_found_by_search(seed: int) -> None:
    q = Quadratic.random(4, 2, seed=seed, dense=True, spread=2.0)
    rng = np.random.default_rng(1)
    x = q.centre + rng.normal(size=(20_000, 2)) * np.geomspace(0.01, 1e3, 20_000)[:, None]
    seen = set(map(tuple, np.unique(order_at(q, x), axis=0).tolist()))
    for order in permutations(range(4)):
        pairs = required_pairs(np.array(order), Strategy(1, 2))
        answer = is_attainable(Pencil.of(q), pairs)
        assert answer is not None
        if tuple(order) in seen:
            assert answer
        elif answer:  # a small cell: climb to it
            losses = q.losses(x)
            best = x[(losses[:, pairs[:, 0]] - losses[:, pairs[:, 1]]).min(1).argmax()]
            for scale in np.geomspace(1, 1e-4, 40):
                near = np.concatenate([best[None], best + scale * rng.normal(size=(500, 2))])
                losses = q.losses(near)
                best = near[(losses[:, pairs[:, 0]] - losses[:, pairs[:, 1]]).min(1).argmax()]
            losses = q.losses(best)
            assert (losses[pairs[:, 0]] > losses[pairs[:, 1]]).all()


def test_the_limit_on_boxes_leaves_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    q = Quadratic.random(6, 3, seed=0, dense=True)
    strategy = Strategy(1, 2)
    exact = skew(q, strategy, samples=20)
    monkeypatch.setattr("boundkit.simulation.selection.orderings._MOST_BOXES", 10)
    rough = skew(q, strategy, samples=20)
    assert exact.exact
    assert not rough.exact
    assert rough.rho_bar <= exact.rho_bar <= rough.reached
    assert rough.rho_bar < rough.reached


@each("d", [1, 4, 20])
def test_the_spread_bound_is_valid_and_tight(d: int) -> None:
    q = Quadratic.random(6, d, seed=d)
    A = Pencil.of(q).matrices
    z = np.random.default_rng(0).normal(size=(500, d + 1))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    for _ in range(30):  # climb
        a = np.einsum("ni,kij,nj->nk", z, A, z)
        z = np.einsum("nk,kij,nj->ni", q.p * a, A, z)
        z /= np.linalg.norm(z, axis=1, keepdims=True)
    seen = (np.einsum("ni,kij,nj->nk", z, A, z) ** 2 @ q.p).max()
    bound = spread_bound(A, q.p)
    assert seen <= bound + 1e-12
    assert bound <= 1.1 * seen
