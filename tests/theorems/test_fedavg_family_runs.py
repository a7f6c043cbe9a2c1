"""Minibatch SGD's and FedAvg's bounds, published, sharper, tuned and convex, against exact runs.

Exact in three ways: second moments on quadratics that share their Hessian; all outcomes of noise +-sigma for
two heterogeneous clients on a curved loss; and runs without noise, where the constants are measured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each
from tests.representatives import audits
from tests.theorems.quadratics import Quadratics, bound, draw, inside, squares

FIVE = {
    "sgd_nonconvex": 0.4, "fedavg_nonconvex": 0.2, "fedavg_nonconvex_partial": 0.2,
    "fedavg_convex_partial": 0.2, "fedavg_strongly_convex_partial": 0.9,
}  # fmt: skip
"""How near to the bound some setting must come, so that a constant that is too small would be seen."""


@each(("name", "near"), audits(FIVE.items()))
def test_bounds_on_quadratics_of_some_or_all_clients(name: str, near: float) -> None:
    rng, statement, best = np.random.default_rng(7), theorem(name), 0.0
    for _ in range(150):
        q, come, server = draw(rng), 0, 1.0
        steps = 1 if statement.assumes("one-local-step") else int(rng.integers(1, 12))
        clients = come = len(q.p)
        if statement.assumes("partial-participation"):
            come, server = int(rng.integers(1, clients + 1)), float(np.exp(rng.normal()))
        step = float(rng.choice([1, 0.3, 0.1])) / (24 * q.h.max() * steps * max(1.0, server))
        values = {**q.known, "tau": steps, "T": int(rng.integers(1, 400)), "C": come / clients, "eta": step}
        values |= {"eta_s": server, "sigma": q.s[0]}
        assert inside(statement, **values)
        moments = squares(q, steps, int(values["T"]), step, server, come)
        series = {
            "gradient_norm_squared": moments @ q.h**2, "loss_gap": moments @ q.h / 2,
            "distance_squared": moments.sum(axis=1),
        }  # fmt: skip
        seen = float(statement.claim.measure(series[statement.claim.observable]))
        best = max(best, seen / bound(statement, **values))
    assert near < best <= 1


def test_moments_agree_with_a_simulation() -> None:
    rng = np.random.default_rng(0)
    clients, chosen, tau, rounds, eta, eta_s, replicas = 5, 2, 3, 4, 0.1, 1.5, 20000
    q = Quadratics(
        np.array([0.5, 2.0]), rng.normal(0, 1, (5, 2)), np.array([1.0, -1.0]), np.full(5, 0.2), np.ones(5)
    )
    x = np.tile(q.x0, (replicas, 1))
    for _ in range(rounds):
        order = rng.permuted(np.tile(np.arange(clients), (replicas, 1)), axis=1)[:, :chosen]
        y = np.repeat(x[:, None, :], chosen, axis=1)
        for _ in range(tau):
            y = y - eta * (q.h * (y - q.e[order]) + rng.normal(0, 1 / np.sqrt(2), y.shape))
        x = x - eta_s * (x[:, None, :] - y).mean(axis=1)
    seen = (x - q.mean) ** 2
    error = seen.std(axis=0) / np.sqrt(replicas)
    assert np.all(np.abs(seen.mean(axis=0) - squares(q, tau, rounds, eta, eta_s, chosen)[-1]) < 5 * error)


@each(
    ("name", "near"),
    audits(
        [
            ("fedavg_nonconvex_sharp", 0.2),
            ("fedavg_nonconvex_mean_walk", 0.35),
            ("fedavg_nonconvex_sharper", 0.6),
            ("fedavg_nonconvex_beta_kappa", 0.2),
        ]
    ),
)
def test_drifts_on_quadratics_at_the_largest_steps(name: str, near: float) -> None:
    rng, statement, best = np.random.default_rng(0), theorem(name), 0.0
    for _ in range(150):
        q, steps, rounds = draw(rng), int(rng.integers(1, 12)), int(rng.integers(1, 200))
        largest = 0.5 / steps if steps == 1 else min(0.5 / steps, 1 / np.sqrt(12 * steps * (steps - 1)))
        step = float(rng.choice([1, 0.3, 0.1])) * largest / q.h.max()
        values = {**q.known, "tau": steps, "T": rounds, "eta": step, "sigma": q.s[0], "beta": 1.0}
        values["kappa"] = values["sigma_g"]
        assert inside(statement, **values)
        seen = (squares(q, steps, rounds, step)[:-1] @ q.h**2).mean()
        best = max(best, seen / bound(statement, **values))
    assert near < best <= 1


@pytest.mark.slow
def test_tuned_steps_on_quadratics() -> None:
    rng, best = np.random.default_rng(1), {"": 0.0, "partial_": 0.0}
    for _ in range(60):
        q, steps = draw(rng), int(rng.integers(1, 4))
        clients, come = len(q.p), int(rng.integers(1, len(q.p) + 1))
        for kind in best:
            statement = theorem(f"fedavg_nonconvex_{kind}tuned")
            least = max(64, 576 * come * steps) if kind else 12 * clients * steps
            rounds = least * int(rng.integers(1, 4))
            values = {**q.known, "tau": steps, "T": rounds, "C": come / clients, "sigma": q.s[0]}
            assert inside(statement, **values)
            step = np.sqrt(clients / (steps * rounds)) / q.h.max()
            series = (
                squares(
                    q, steps, rounds, 1 / (np.sqrt(rounds) * steps * q.h.max()), np.sqrt(steps * come), come
                )
                if kind
                else squares(q, steps, rounds, step)
            )
            best[kind] = max(best[kind], (series[:-1] @ q.h**2).mean() / bound(statement, **values))
    assert all(0.1 < ratio <= 1 for ratio in best.values())


@each(("name", "largest"), audits([("fedavg_convex", 0.25), ("fedavg_convex_sharp", 0.5)]))
def test_convex_bounds_on_quadratics_at_the_virtual_average(name: str, largest: float) -> None:
    """One local step of all clients moves the virtual average as one of minibatch SGD does."""
    rng, statement, best = np.random.default_rng(2), theorem(name), 0.0
    for _ in range(150):
        q, steps, rounds = draw(rng), int(rng.integers(1, 12)), int(rng.integers(1, 60))
        step = float(rng.choice([1, 0.3, 0.1])) * largest / q.h.max()
        values = {**q.known, "tau": steps, "T": rounds, "eta": step, "sigma": q.s[0]}
        assert inside(statement, **values)
        seen = (squares(q, 1, steps * rounds, step)[1:] @ q.h).mean() / 2
        best = max(best, seen / bound(statement, **values))
    assert 0.3 < best <= 1


# All outcomes of the noise, for two clients that pull apart


@dataclass(frozen=True)
class Pair:
    """F_1 = f + a x and F_2 = f - a x, with |f''| <= 1 and f smallest at 0: sigma_g = a everywhere."""

    slope: Callable[[Array], Array]
    loss: Callable[[Array], Array]


BENT = Pair(lambda x: x / (1 + x**2), lambda x: np.log(1 + x**2) / 2)
ROUND = Pair(lambda x: x / np.sqrt(1 + x**2), lambda x: np.sqrt(1 + x**2) - 1)


def every_outcome(
    pair: Pair, apart: float, steps: int, rounds: int, step: float, noise: float, x0: float
) -> tuple[float, float]:
    """The mean squared gradient at the server's models, and the mean loss after every local step."""
    flips = 2 * steps * rounds
    kicks = noise * np.array(list(product((-1.0, 1.0), repeat=flips if noise else 0)))
    kicks = kicks if noise else np.zeros((1, flips))
    x = np.full((len(kicks), 2), x0)
    pull, gradients, losses, flip = np.array([apart, -apart]), [], [], 0
    for _ in range(rounds):
        gradients.append((pair.slope(x[:, 0]) ** 2).mean())
        for _ in range(steps):
            x = x - step * (pair.slope(x) + pull + kicks[:, flip : flip + 2])
            losses.append(pair.loss(x.mean(axis=1)).mean())
            flip += 2
        x = np.tile(x.mean(axis=1, keepdims=True), (1, 2))
    return float(np.mean(gradients)), float(np.mean(losses))


@each(("steps", "rounds"), [(2, 2), (3, 1), (3, 2), (5, 1), (1, 4)])
def test_drift_without_convexity_over_all_outcomes(steps: int, rounds: int) -> None:
    names = (
        "fedavg_nonconvex_sharp",
        "fedavg_nonconvex_mean_walk",
        "fedavg_nonconvex_sharper",
        "fedavg_nonconvex_beta_kappa",
    )
    for share, noise, x0, apart in product((1, 0.3), (0.0, 1.5), (0.0, 1.0, 5.0), (0.0, 1.0, 8.0)):
        step = share * min(0.5 / steps, 1 / np.sqrt(max(12 * steps * (steps - 1), 1e-9)))
        seen, _ = every_outcome(BENT, apart, steps, rounds, step, noise, x0)
        values = {
            "m": 2, "tau": steps, "T": rounds, "eta": step, "L": 1, "sigma": noise, "sigma_g": apart,
            "kappa": apart, "beta": 1, "gap": float(BENT.loss(np.array(x0))),
        }  # fmt: skip
        for name in names:
            assert inside(theorem(name), **values)
            assert seen <= bound(theorem(name), **values) * (1 + 1e-12)


@each(("steps", "rounds"), [(2, 2), (3, 1), (3, 2), (5, 1), (1, 4)])
def test_convex_drift_over_all_outcomes(steps: int, rounds: int) -> None:
    best = 0.0
    for share, noise, x0, apart in product((1, 0.3), (0.0, 1.5), (0.0, 1.0, 5.0), (0.0, 1.0, 8.0)):
        for name, largest in (("fedavg_convex", 0.25), ("fedavg_convex_sharp", 0.5)):
            step = share * largest
            _, seen = every_outcome(ROUND, apart, steps, rounds, step, noise, x0)
            values = {
                "m": 2, "tau": steps, "T": rounds, "eta": step, "L": 1, "sigma": noise, "sigma_g": apart,
                "distance": x0,
            }  # fmt: skip
            assert inside(theorem(name), **values)
            promised = bound(theorem(name), **values)
            assert seen <= promised * (1 + 1e-12)
            best = max(best, seen / promised if promised else 0.0)
    assert best > 0.3


# No noise, different Hessians


def test_dissimilarity_that_grows_is_measured_on_the_way() -> None:
    """Unlike quadratics have no sigma_g on all of space, but a kappa for what beta leaves over."""
    rng, statement = np.random.default_rng(3), theorem("fedavg_nonconvex_beta_kappa")
    for slope in (1.0, 1.5, 4.0):
        for _ in range(20):
            clients, steps, rounds = (
                int(rng.integers(2, 6)),
                int(rng.integers(2, 9)),
                int(rng.integers(1, 60)),
            )
            h, e = np.exp(rng.normal(0, 1, (clients, 2))), rng.normal(0, 1, (clients, 2))
            step = 0.5 / h.max() * min(1 / steps, 1 / np.sqrt((2 * slope**2 + 1) * steps * (steps - 1)))
            best = (h * e).mean(axis=0) / h.mean(axis=0)
            x = x0 = rng.normal(0, 5, 2)
            squared, left = [], 0.0
            for _ in range(rounds):
                each = h * (x - e)
                squared.append(float((each.mean(axis=0) ** 2).sum()))
                left = max(left, float((each**2).sum(axis=1).mean()) - slope**2 * squared[-1])
                x = (e + (1 - step * h) ** steps * (x - e)).mean(axis=0)
            values = {
                "m": clients, "tau": steps, "T": rounds, "eta": step, "L": h.max(), "sigma": 0, "beta": slope,
                "kappa": np.sqrt(left), "gap": float((h.mean(axis=0) * (x0 - best) ** 2).sum() / 2),
            }  # fmt: skip
            assert inside(statement, **values)
            assert np.mean(squared) <= bound(statement, **values)
