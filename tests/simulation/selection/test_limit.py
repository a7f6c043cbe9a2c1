"""Limits, cycles and the gap in the published proof, against the algorithm in plain loops."""

from collections.abc import Callable

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection import (
    Strategy,
    selection_limit,
    skew,
)
from tests.cases import each
from tests.simulation.selection import brute
from tests.simulation.selection.closed_forms import skew_of_local_iterate, two_client_cycle

LINE = Quadratic([1, 1, 1], [[-1.0], [0.2], [2.0]])
FLAT = Quadratic(
    [[1, 0], [1, 1]], [[0.0, 0], [2, 1]]
)  # the first loss does not depend on the second coordinate


def largest_loss_run(q: Quadratic, x: float, eta: float, tau: int, rounds: int) -> list[float]:
    path = [x]
    for _ in range(rounds):
        k = int(np.argmax([brute.loss(q, i, np.array([x])) for i in range(q.m)]))
        for _ in range(tau):
            x -= eta * q.H[k, 0] * (x - q.e[k, 0])
        path.append(x)
    return path


@each(("tau", "p"), [(1, [0.9, 0.1]), (4, [0.5, 0.5])])
def test_equal_curvatures_cycle_about_the_middle(tau: int, p: list[float]) -> None:
    q, eta = Quadratic([2, 2], [[-1.0], [2.0]], weights=p), 0.1
    found = two_client_cycle(q, eta, tau)
    r = 1 - (1 - eta * 2) ** tau
    half = r * 1.5 / (2 - r)
    assert found.exists
    assert [found.low, found.high] == pytest.approx([0.5 - half, 0.5 + half], abs=1e-12)
    path = largest_loss_run(q, 9.0, eta, tau, 400)
    assert sorted(path[-2:]) == pytest.approx([found.low, found.high], abs=1e-12)
    gap = float(q.observe(np.array([[0.5]]))["loss_gap"][0])
    assert gap == pytest.approx((1.5 * abs(p[0] - p[1])) ** 2, abs=1e-12)  # (h/2) a^2 (p1 - p2)^2


def test_mistakes() -> None:
    mistakes: list[tuple[Callable[[], object], str]] = [
        (
            lambda: selection_limit(FLAT, Strategy(1, probabilities=(1.0, 0.0))),
            "are constant in some direction",
        ),
    ]
    for call, sentence in mistakes:
        with pytest.raises(BoundkitError, match=sentence):
            call()


def test_the_gap_in_the_published_proof() -> None:
    q = Quadratic([1, 1], [[-1.0], [1.0]])
    assert skew(q, Strategy(1)).rho_bar == pytest.approx(1, abs=1e-14)
    for tau, ratio in ((1, 1.0), (2, 8 / 13), (5, 0.124407), (20, 1.0535e-4)):
        assert skew_of_local_iterate(q, np.zeros(1), 0.2, tau) == pytest.approx(ratio, rel=1e-4, abs=1e-6)


def test_limits_of_three_clients() -> None:
    for count, candidates, model in ((1, 2, 0.5), (1, 3, 0.5), (2, 3, 0.5), (1, 1, 0.4)):
        limit = selection_limit(LINE, Strategy(count, candidates))
        assert limit.model == pytest.approx([model], abs=1e-14)
        assert limit.loss_gap == pytest.approx((model - 0.4) ** 2 / 2, abs=1e-14)
        assert limit.error <= 1e-15


@each(("seed", "d"), [(0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3)])
def test_the_limit_minimises_another_objective(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    q = Quadratic(
        list(rng.uniform(0.5, 3, (5, d))), rng.normal(size=(5, d)), weights=rng.dirichlet(np.full(5, 4.0))
    )
    count, candidates = 1 + seed % 2, 3 + seed % 3

    def phi(x: np.ndarray) -> float:
        share = brute.selection_shares(q, x, count, candidates)
        return float(sum(w * brute.loss(q, k, x) for k, w in enumerate(share)))

    found = selection_limit(q, Strategy(count, candidates))
    assert found.value == pytest.approx(phi(found.model), rel=1e-9)
    assert found.error <= 1e-7 * found.value
    assert found.shares.sum() == pytest.approx(1, abs=1e-12)
    for _ in range(15):
        away = rng.normal(size=d) * 10 ** rng.uniform(-5, 0)
        assert phi(found.model + away) >= found.value - found.error - 1e-12


def test_a_client_with_a_flat_direction() -> None:
    found = selection_limit(FLAT, Strategy(1, 2))
    assert found.model == pytest.approx([1, 1], abs=1e-6)
    assert found.value == pytest.approx(0.5, abs=1e-6)


def test_small_steps_converge_to_the_limit() -> None:
    q = Quadratic([[1.0, 0.5], [0.6, 2.0], [1.5, 1.0], [0.8, 0.8]], [[0.0, 1], [2, 0], [-1, -1], [1, 2]])
    found = selection_limit(q, Strategy(1, 4))
    x = np.array([3.0, 3.0])
    for eta, rounds in ((0.1, 200), (0.01, 1000), (0.001, 5000)):
        for _ in range(rounds):
            k = int(np.argmax(q.losses(x)))
            x = x - eta * q.H[k] * (x - q.e[k])
    np.testing.assert_allclose(x, found.model, atol=3e-3)


@each(("count", "candidates"), [(1, 2), (2, 3), (1, 1)])
def test_bounds_hold_with_the_computed_skew(count: int, candidates: int) -> None:
    """Decaying step 1/(t + 4), tau = 1, no noise: the mean loss gap of 2000 runs, plus its error."""
    found = skew(LINE, Strategy(count, candidates))
    rng, replicas, rounds = np.random.default_rng(0), 2000, 60
    x = np.full(replicas, 3.0)
    gaps = []
    for t in range(rounds):
        drawn = np.argsort(rng.random((replicas, 3)), axis=1)[:, :candidates]
        e = LINE.e[:, 0][drawn]
        far = np.take_along_axis(e, np.argsort(-np.abs(x[:, None] - e), axis=1)[:, :count], axis=1)
        x = x - (x - far.mean(1)) / (t + 4)
        gap = (x - 0.4) ** 2 / 2
        gaps.append(gap.mean() + 4 * gap.std() / replicas**0.5)
    for version in ("decaying_sharp", "decaying_corrected"):
        bound = bk.predict(
            f"biased_selection_strongly_convex_{version}",
            m=3, C=count / 3, tau=1, T=list(range(1, rounds + 1)), mu=1, L=1, sigma=0, G=0, distance=2.6,
            **{k: c.value for k, c in found.constants().items()},
        )  # fmt: skip
        ratio = np.array(gaps) / bound.total.to_numpy()
        assert 0.1 < ratio.max() <= 1
