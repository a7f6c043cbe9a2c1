"""Minibatch, local and asynchronous SGD, and error against the clock: constants, and exact runs.

Exact in two ways: second moments on quadratics, where all is linear, and all outcomes of noise +-sigma on a
loss that is neither convex nor quadratic, where the drift of local steps shows.
"""

import heapq
from itertools import product

import numpy as np
import pytest
from sympy import Expr, Max, diff, simplify, solve, sqrt

from boundkit.algebra import Quantity, Theorem, dimension_of
from boundkit.algebra.dimension import ONE
from boundkit.algebra.notation import (
    L,
    T,
    c_1,
    c_2,
    c_3,
    delay,
    eta,
    gap,
    m,
    sigma,
    step_time,
    tau,
    tau_felt,
    tau_max,
    tau_mean,
    units_of,
    wall,
)
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.predict import predict
from boundkit.simulation.arrays import Array
from boundkit.theorems import theorem
from tests.cases import each


def bound(statement: Theorem, **values: float) -> float:
    return float(evaluate(statement.bound.total, values))


def test_constants_of_overlap() -> None:
    """The constants of all others are those of their proofs, which are checked by machine."""
    noise, statement = eta * L * sigma**2, theorem("overlap_sgd_nonconvex_clock")
    expected = {
        "initial gap": c_1 * gap * Max(step_time, delay / tau) / (eta * wall),
        "stochastic noise": c_2 * noise / m,
        "noise drift": c_3 * noise * eta * L * tau,
    }
    assert {label: term.expr for label, term in statement.bound.terms.items()} == expected
    assert (statement.kind, statement.constants) == ("order", "recalled")


def test_best_tau_against_the_clock() -> None:
    total = theorem("local_sgd_nonconvex_clock").bound.total
    expected = sqrt(2 * gap * delay / (eta**3 * L**2 * sigma**2 * wall))
    assert {simplify(root**2 - expected**2) for root in solve(diff(total, tau), tau)} == {0}
    assert dimension_of(expected, units_of(expected)) == ONE
    assert simplify(diff(total, tau, 2) - 4 * delay * gap / (eta * tau**3 * wall)) == 0
    assert simplify(diff(expected, wall) + expected / (2 * wall)) == 0


@each(
    ("clock", "rounds", "spent"),
    [
        ("sgd_nonconvex_clock", "sgd_nonconvex", step_time + delay),
        ("local_sgd_nonconvex_clock", "local_sgd_nonconvex", tau * step_time + delay),
        ("async_sgd_nonconvex_clock", "async_sgd_nonconvex", (step_time + delay) / m),
    ],
)
def test_a_clock_shows_rounds(clock: str, rounds: str, spent: Expr) -> None:
    on_clock, by_rounds = theorem(clock), theorem(rounds)
    assert on_clock.claim == by_rounds.claim
    assert on_clock.step_size == by_rounds.step_size
    assert simplify(on_clock.bound.total.subs(wall, T * spent) - by_rounds.bound.total) == 0


def test_the_race_of_remarks() -> None:
    """Nobody waits: m times the updates, m times the noise."""
    sync, racing = (theorem(f"{a}_nonconvex_clock").bound.terms for a in ("sgd", "async_sgd"))
    assert simplify(sync["initial gap"].expr / racing["initial gap"].expr) == m
    assert simplify(racing["stochastic noise"].expr / sync["stochastic noise"].expr) == m
    best = sqrt(2 * m * gap * (step_time + delay) / (L * sigma**2 * wall))
    roots = solve(diff(theorem("sgd_nonconvex_clock").bound.total, eta), eta)
    assert {simplify(root**2 - best**2) for root in roots} == {0}


def test_communication_is_free_where_it_is_hidden() -> None:
    start = theorem("overlap_sgd_nonconvex_clock").bound.terms["initial gap"].expr
    hidden, shown = ({step_time: 1, delay: 6, tau: k} for k in (6, 3))
    assert start.subs(hidden) == start.subs({**hidden, delay: 0})
    assert start.subs(shown) == 2 * start.subs({**shown, delay: 0})


# Changing tau


@each("schedule", [(8, 4, 2, 2), (5, 5, 5), (1, 1), (3,), (2, 4, 8, 2)])
def test_means_of_a_schedule(schedule: tuple[int, ...]) -> None:
    p = predict(theorem("adacomm_nonconvex"), tau_i=[[k] * 3 for k in schedule], T=len(schedule))
    steps = np.array(schedule, dtype=float)
    assert p.derived["tau_mean"] == pytest.approx(steps.mean(), rel=1e-12)
    assert p.derived["tau_felt"] == pytest.approx((steps**2).sum() / steps.sum(), rel=1e-12)
    assert p.derived["tau_max"] == steps.max()
    assert p.derived["tau_max"] >= p.derived["tau_felt"] >= p.derived["tau_mean"]
    assert p.largest == pytest.approx(1 / steps.max())
    if len(set(schedule)) == 1:
        alike = predict(theorem("local_sgd_nonconvex"), tau=schedule[0], T=len(schedule), m=3)
        assert p.total == pytest.approx(alike.total, rel=1e-12)


# Exact runs


def outcomes(flips: int, size: float) -> Array:
    """Every sequence of signs, times the size; shape (2^flips, flips)."""
    return size * np.array(list(product((-1.0, 1.0), repeat=flips)))


def local_run(schedule: tuple[int, ...], clients: int, step: float, noise: float, x0: float) -> float:
    """The mean squared gradient at the virtual average, exactly, for F = log(1 + x^2)/2 and noise +-sigma."""
    kicks = outcomes(clients * sum(schedule), noise)
    x = np.full((len(kicks), clients), x0)
    seen, flip = [], 0
    for steps in schedule:
        for _ in range(steps):
            mean = x.mean(axis=1)
            seen.append(((mean / (1 + mean**2)) ** 2).mean())
            x = x - step * (x / (1 + x**2) + kicks[:, flip : flip + clients])
            flip += clients
        x = np.tile(x.mean(axis=1, keepdims=True), (1, clients))
    return float(np.mean(seen))


@each("clients", [1, 2, 3])
@each("schedule", [(2, 2), (3,), (4,), (1, 1, 1, 1), (3, 1), (1, 3)])
def test_local_sgd_over_all_outcomes_of_its_noise(clients: int, schedule: tuple[int, ...]) -> None:
    steps = np.array(schedule, dtype=float)
    known = {
        "tau_mean": steps.mean(), "tau_felt": (steps**2).sum() / steps.sum(), "tau": steps[0],
        "tau_max": steps.max(), "T": len(steps), "m": clients, "L": 1,
    }  # fmt: skip
    best = 0.0
    for share, noise, x0 in product((1.0, 0.3), (0.0, 0.5, 2.0), (0.0, 1.0, 4.0)):
        values = {"eta": share / steps.max(), "sigma": noise, "gap": np.log(1 + x0**2) / 2}
        seen = local_run(schedule, clients, values["eta"], noise, x0)
        for name in ("adacomm_nonconvex", *(["local_sgd_nonconvex"] if len(set(schedule)) == 1 else [])):
            promised = bound(theorem(name), **known, **values)
            assert seen <= promised * (1 + 1e-12)
            best = max(best, seen / promised if promised else 0.0)
    assert best > 0.1


def test_local_sgd_on_quadratics_is_minibatch_sgd_at_the_virtual_average() -> None:
    """Ratios up to 0.9: the first two terms leave no room for a smaller constant."""
    rng, statement, best = np.random.default_rng(0), theorem("local_sgd_nonconvex"), 0.0
    for _ in range(200):
        h = np.exp(rng.normal(0, 1, 3))
        steps, rounds, clients = (int(rng.integers(1, k)) for k in (9, 60, 9))
        noise, x0 = float(rng.choice([0, 1.0])), rng.normal(0, np.exp(rng.normal()), 3)
        step = float(rng.choice([1, 0.3, 0.1])) / (h.max() * steps)
        square, seen = x0**2, []
        for _ in range(steps * rounds):
            seen.append((h**2 * square).sum())
            square = (1 - step * h) ** 2 * square + step**2 * noise**2 / (3 * clients)
        values = {
            "m": clients, "T": rounds, "tau": steps, "eta": step, "L": h.max(), "sigma": noise,
            "gap": (h * x0**2).sum() / 2,
        }  # fmt: skip
        best = max(best, float(np.mean(seen)) / bound(statement, **values))
    assert 0.5 < best <= 1


def test_strong_convexity_forgets_the_start_and_stays_above_the_floor() -> None:
    rng, statement, best = np.random.default_rng(1), theorem("sgd_strongly_convex"), 0.0
    for _ in range(200):
        h = np.exp(rng.normal(0, 0.5, int(rng.integers(1, 4))))
        clients, rounds = int(rng.integers(1, 9)), int(rng.integers(1, 200))
        noise, x0 = float(rng.choice([0, 1.0])), rng.normal(0, 1, len(h))
        step = float(rng.choice([1, 0.3, 0.1])) / h.max()
        square = x0**2
        for _ in range(rounds):
            square = (1 - step * h) ** 2 * square + step**2 * noise**2 / (len(h) * clients)
        values = {
            "m": clients, "T": rounds, "eta": step, "L": h.max(), "mu": h.min(), "sigma": noise,
            "gap": (h * x0**2).sum() / 2,
        }  # fmt: skip
        seen, promised = (h * square).sum() / 2, bound(statement, **values)
        assert seen <= promised * (1 + 1e-12) + 1e-30
        best = max(best, seen / promised if promised > 1e-200 else 0.0)
    assert best > 0.99


@each("share", [0.1, 0.5, 1.0])
def test_floor_at_equal_curvatures_as_the_remark_says(share: float) -> None:
    square = 0.0
    for _ in range(3000):
        square = (1 - share) ** 2 * square + share**2 / 4  # h = L = mu = 1, sigma = 1, m = 4
    floor = bound(theorem("sgd_strongly_convex"), m=4, T=1, eta=share, L=1, mu=1, sigma=1, gap=0)
    assert square / 2 == pytest.approx(floor / (2 - share), rel=1e-9)


def stale_run(h: float, age: int, step: float, noise: float, x0: float, rounds: int) -> float:
    """The mean squared gradient for F = h x^2/2 with gradients of one fixed age, from exact covariances."""
    move = np.eye(age + 1, k=-1)  # the state is x_t, x_{t-1}, ..., x_{t-age}
    move[0, 0] = 1
    move[0, age] -= step * h
    second = np.full((age + 1, age + 1), x0**2)
    seen = []
    for _ in range(rounds):
        seen.append(h**2 * second[0, 0])
        second = move @ second @ move.T
        second[0, 0] += step**2 * noise**2
    return float(np.mean(seen))


def test_asynchronous_sgd_on_quadratics() -> None:
    statement, best = theorem("async_sgd_nonconvex"), 0.0
    for age, share, noise, rounds, h in product((0, 1, 3, 8), (1, 0.3), (0.0, 1.0), (1, 10, 300), (1.0, 0.2)):
        step = share * 2 / (1 + np.sqrt(1 + 8 * age**2))
        seen = stale_run(h, age, step, noise, 2.0, rounds)
        values = {"T": rounds, "eta": step, "L": 1, "sigma": noise, "gap": 2 * h, "staleness": age}
        best = max(best, seen / bound(statement, **values))
    assert 0.9 < best <= 1


def test_clients_that_never_wait_are_m_minus_1_updates_late_on_average() -> None:
    rng, clients, updates = np.random.default_rng(0), 7, 20000
    finish = [(float(rng.exponential()), i) for i in range(clients)]
    heapq.heapify(finish)
    read, ages, now = [0] * clients, [], 0.0
    for t in range(updates):
        now, i = heapq.heappop(finish)
        ages.append(t - read[i])
        read[i] = t + 1
        heapq.heappush(finish, (now + float(rng.exponential()), i))
    assert np.mean(ages) == pytest.approx(clients - 1, rel=1e-2)
    assert max(ages) >= clients - 1
    assert now / updates == pytest.approx(1 / clients, rel=5e-2)  # time an update: step_time/m


@each("pull", [0.1, 0.5, 0.9])
def test_an_anchor_shortens_the_step_of_the_average(pull: float) -> None:
    """Where gradients do not look at the model, tau steps move the average by 1 - pull of themselves."""
    x, anchor, step = np.zeros(3), 0.0, 0.1
    slopes = np.array([1.0, 2.0, 6.0])
    for _ in range(5):
        before = x.mean()
        for _ in range(4):
            x = x - step * slopes
        x = x - pull * (x - anchor)
        assert x.mean() - before == pytest.approx(-(1 - pull) * step * 4 * slopes.mean(), rel=1e-12)
        anchor = float(x.mean())


def test_means_with_a_step_of_its_own_in_each_round_as_the_remark_says() -> None:
    """At one step size the three sums give the theorem back."""
    schedule, step = np.array([8.0, 4.0, 2.0, 2.0]), 0.05
    s_1, s_2, s_3 = (
        (step * schedule).sum(),
        (step**2 * schedule).sum(),
        (step**3 * schedule * (schedule - 1)).sum(),
    )
    by_sums = 2 * 3 / s_1 + 2 * 0.25 * s_2 / (5 * s_1) + 4 * 0.25 * s_3 / s_1  # gap 3, L 2, sigma 1/2, m 5
    known: dict[Quantity, float] = {
        tau_mean: 4, tau_felt: 5.5, tau_max: 8, T: 4, m: 5, L: 2, sigma: 0.5, gap: 3, eta: step,
    }  # fmt: skip
    assert by_sums == pytest.approx(
        bound(theorem("adacomm_nonconvex"), **{q.name: v for q, v in known.items()}), rel=1e-12
    )
