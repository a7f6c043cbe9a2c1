"""rho_bar and rho_tilde: eigenvalues against grids, properties of every strategy, published numbers."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import LogCosh, Quadratic
from boundkit.simulation.selection import Strategy, published_instance, skew, skew_along
from boundkit.simulation.selection.orderings import order_at
from boundkit.simulation.selection.pencil import Pencil
from tests.cases import each
from tests.simulation.selection import brute
from tests.simulation.selection.brute import Array

LINE = Quadratic([1, 1, 1], [[-1.0], [0.2], [2.0]])
SMALL = 1e-12


def plane(seed: int, clients: int = 4, shared: bool = False, weights: bool = False, d: int = 2) -> Quadratic:
    q = Quadratic.random(clients, d, seed=seed, dense=True, shared=shared, spread=2.0)
    p = np.random.default_rng(seed).dirichlet(np.full(clients, 3.0)) if weights else None
    return Quadratic(list(q.H), q.e, weights=p)


def ratios(q: Quadratic, share: Array, x: Array) -> Array:
    """rho at points of a line."""
    losses = q.H[:, 0] * (x[:, None] - q.e[:, 0]) ** 2
    return np.asarray((losses @ share) / (losses @ q.p))


def test_three_clients_on_a_line() -> None:
    cases = ((2, 1, 0.1204, 1.5526), (3, 2, 0.1579, 1.4868), (3, 1, 0, 1.684), (1, 1, 1, 1), (2, 2, 1, 1))
    for candidates, count, bar, tilde in cases:
        found = skew(LINE, Strategy(count, candidates))
        assert found.rho_bar == pytest.approx(bar, abs=6e-5)
        assert found.rho_tilde == pytest.approx(tilde, abs=6e-4 if tilde == 1.684 else 6e-5)
        assert found.Gamma == pytest.approx(0.76, abs=1e-14)
        assert found.exact
        assert found.reached == found.rho_bar


@each("seed", range(2))
def test_the_eigenvalue_is_the_minimum_over_all_models(seed: int) -> None:
    q = plane(seed, weights=True)
    pencil = Pencil.of(q)
    np.testing.assert_allclose(np.tensordot(q.p, pencil.matrices, 1), np.eye(3), atol=1e-12)
    strategy = Strategy(1, 3)
    share = strategy.shares(q.p, order_at(q, np.array([[3.0, -2.0]])))
    least = float(pencil.least(share)[0])
    axis = np.linspace(-8, 8, 201)
    grid = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2) + q.centre
    on_grid = pencil.at(share, grid)
    assert least <= on_grid.min() + SMALL
    where, is_model = pencil.minimiser(share[0])
    far = where if is_model else q.centre + 1e7 * where
    assert float(pencil.at(share[0], far)) == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(on_grid[:5], [brute.rho(q, share[0], x) for x in grid[:5]], rtol=1e-12)


@each(
    ("curvatures", "count", "candidates"),
    [([1, 1, 1, 1], 1, 2), ([0.5, 2, 1, 3], 2, 3), ([1, 4, 1, 0.3], 1, 4), ([0.5, 2, 1, 3], 2, 4)],
)
def test_a_line_is_exact(curvatures: list[float], count: int, candidates: int) -> None:
    rng = np.random.default_rng(count)
    q = Quadratic(curvatures, rng.normal(size=(4, 1)) * 3, weights=rng.dirichlet(np.full(4, 5.0)))
    found = skew(q, Strategy(count, candidates))
    inside = skew(q, Strategy(count, candidates), within="hull")
    everywhere = np.concatenate([np.linspace(-30, 30, 3001), [-1e9, 1e9]])
    hull = np.linspace(q.e.min(), q.e.max(), 3001)
    values, in_hull = [], []
    shares: dict[tuple[int, ...], Array] = {}
    for x in np.linspace(-12, 12, 241):
        losses = [brute.loss(q, k, np.array([x])) for k in range(4)]
        order = tuple(np.argsort(losses)[::-1].tolist())
        if order not in shares:
            shares[order] = brute.shares(q.p, list(order), count, candidates)
        values.append(ratios(q, shares[order], everywhere).min())
        if q.e.min() <= x <= q.e.max():
            in_hull.append(ratios(q, shares[order], hull).min())
    assert found.rho_bar <= min(values) + SMALL
    assert found.rho_bar == pytest.approx(min(values), abs=0.02)
    assert found.rho_bar - SMALL <= inside.rho_bar <= min(in_hull) + SMALL
    assert inside.rho_bar == pytest.approx(min(in_hull), abs=0.02)
    assert found.exact
    assert inside.exact


@each(("seed", "shared"), [(0, True), (1, False), (2, False), (3, True), (4, False)])
def test_few_clients_in_a_plane(seed: int, shared: bool) -> None:
    q = plane(seed, clients=5, shared=shared, weights=seed % 2 == 1)
    strategy = Strategy(1 + seed % 2, 3)
    found = skew(q, strategy, samples=200)
    many = (
        q.centre
        + np.random.default_rng(9).normal(size=(40_000, 2)) * np.geomspace(0.05, 500, 40_000)[:, None]
    )
    seen = np.unique(order_at(q, many), axis=0)
    least = float(Pencil.of(q).least(strategy.shares(q.p, seen)).min())
    assert found.rho_bar <= least + SMALL
    assert found.exact
    assert found.reached == found.rho_bar == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize(("count", "candidates"), [(1, 2), (2, 3), (3, 5)])
def test_the_bound_for_many_clients(
    count: int, candidates: int, weights: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    q = plane(3, clients=6, weights=weights)
    strategy = Strategy(count, candidates)
    orders = np.array(list(permutations(range(6))))
    least = float(Pencil.of(q).least(strategy.shares(q.p, orders)).min())
    monkeypatch.setattr("boundkit.simulation.selection.skew_minimum.MOST_ORDERS", 5)
    blind = skew(q, strategy)
    assert not blind.exact
    assert 0 <= blind.rho_bar <= least + SMALL
    assert least - SMALL <= blind.reached


@each("seed", range(2))
def test_rho_tilde_is_attained_at_the_optimum(seed: int) -> None:
    q = plane(seed, clients=5, weights=True)
    strategy = Strategy(2, 3)
    every = Pencil.of(q).at_optimum(strategy.shares(q.p, np.array(list(permutations(range(5))))))
    found = skew(q, strategy)
    assert found.rho_tilde == pytest.approx(every.max(), rel=1e-12)
    assert found.rho_tilde == pytest.approx(
        brute.rho(q, brute.selection_shares(q, q.centre, 2, 3), q.centre), rel=1e-12
    )


def test_unbiased_selection_has_skew_one() -> None:
    for q in (plane(1, weights=True), LINE, published_instance()[0]):
        found = skew(q, Strategy(2, replacement=True))
        assert found.exact
        assert [found.rho_bar, found.rho_tilde, found.rho_same] == pytest.approx([1, 1, 1], abs=1e-12)


@each("weights", [False, True])
def test_the_same_model_for_both(weights: bool) -> None:
    q = plane(2, clients=4, weights=weights)
    strategy = Strategy(1, 3)
    models = q.centre + np.random.default_rng(0).normal(size=(500, 2)) * 5
    along = skew_along(q, strategy, models)
    expected = [brute.rho(q, brute.selection_shares(q, x, 1, 3), x) for x in models[:20]]
    assert along.rho_bar <= min(expected) + SMALL
    assert along.rho_bar >= skew(q, strategy).rho_same - SMALL
    candidates = brute.shares(q.p, [0, 1, 2, 3], 3, 3)
    assert skew(q, strategy).rho_same == pytest.approx((candidates / q.p).min(), rel=1e-12)
    assert weights == (skew(q, strategy).rho_same < 1 - 1e-9)
    assert along.trust == "local"
    assert skew_along(q, strategy, models[:1]).rho_bar == pytest.approx(expected[0], rel=1e-12)


def test_along_a_run_with_iterates_inside() -> None:
    models, inside = np.array([[3.0], [-2.0]]), np.array([[[2.5]], [[-1.0]]])
    found = skew_along(LINE, Strategy(1, 3), models, inside)
    # from 3 the client at -1 comes: 2 (3.5)^2/sum .. at 2.5; from -2 the client at 2: at -1
    ratios = [
        3 * (y - e) ** 2 / sum((y - c) ** 2 for c in (-1, 0.2, 2))
        for y, e in ((3, -1), (2.5, -1), (-2, 2), (-1, 2))
    ]
    assert found.rho_bar == pytest.approx(min(ratios), rel=1e-13)
    tilde = [(0.4 - e) ** 2 / (2 * 0.76) for e in (-1, 2)]
    assert max(tilde) < min(ratios)
    assert found.rho_tilde == found.rho_bar
    back = skew_along(LINE, Strategy(1, 3), np.array([[3.0], [0.45]]))  # from 0.45 the client at 2 comes
    assert back.rho_tilde == pytest.approx(max(tilde), rel=1e-13)


def test_the_published_clients() -> None:
    q, start = published_instance()
    h = q.H[:, 0]
    assert [round(h.min(), 3), round(h.max(), 2)] == [0.275, 8.61]
    assert [round(q.p.min(), 4), round(q.p.max(), 4)] == [0.0073, 0.0429]
    assert start.shape == (5,)
    random = skew(q, Strategy(3), samples=20)
    assert round(random.Gamma) == 2256
    # random without replacement is biased where weights differ, a little
    assert random.rho_tilde == pytest.approx(1.00411869, abs=1e-8)
    at_optimum = order_at(q, q.centre[None])
    tilde = [Pencil.of(q).at_optimum(Strategy(3, d).shares(q.p, at_optimum))[0] for d in (3, 4, 6, 15, 30)]
    assert tilde == sorted(tilde)
    all_of_them = skew(q, Strategy(3, 30), samples=500)
    assert all_of_them.exact
    assert all_of_them.rho_bar == pytest.approx(0.010928, abs=1e-6)
    few = skew(q, Strategy(3, 6), samples=50)
    assert 0 < all_of_them.rho_bar <= few.rho_bar < few.reached < 1
    assert published_instance(100)[0].m == 100


def test_mistakes() -> None:
    mistakes: list[tuple[Callable[[], object], str]] = [
        (lambda: skew(LogCosh([1.0], [[0.0]]), Strategy(1)), "for quadratic problems, not for"),  # type: ignore[arg-type]
        (lambda: skew(Quadratic([2, -1], [[0.0], [1.0]]), Strategy(1)), "needs clients with a least loss"),
        (lambda: skew(Quadratic([[1, 0]], [[0.0, 0]]), Strategy(1)), "sum p_i H_i is singular"),
        (lambda: skew(plane(0), Strategy(1), within="hull"), "within is for problems on a line"),
        (lambda: skew(LINE, Strategy(1), within=(1.0, 2.0)), r"must hold x\* = 0.4"),
        (lambda: skew(LINE, Strategy(1), within="all"), "'hull' or two numbers"),  # type: ignore[arg-type]
        (lambda: skew(plane(0), Strategy(1), samples=0), "samples = 0"),
        (lambda: skew(LINE, Strategy(1, 4)), "4 candidates were requested, but only 3"),
        (lambda: skew_along(LINE, Strategy(1), np.zeros((0, 1))), "at least one model"),
        (lambda: skew_along(Quadratic([1], [[1.0]]), Strategy(1), np.ones((1, 1))), "rho is 0/0"),
        (lambda: published_instance(0), "clients = 0"),
    ]
    for call, sentence in mistakes:
        with pytest.raises(BoundkitError, match=sentence):
            call()
