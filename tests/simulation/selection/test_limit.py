"""Limits, cycles and the gap in the published proof, against the algorithm in plain loops."""

from collections.abc import Callable

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.selection import Strategy, selection_limit
from tests.cases import each
from tests.simulation.selection import brute
from tests.simulation.selection.closed_forms import two_client_cycle

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
