"""The clock against an event simulation of steps and exchanges."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.runtime.distributions import step_time_distribution
from boundkit.analysis.runtime.schedule import ReplicaExchange, SynchronisationSchedule


def simulate(step: float, exchange: float, tau: int, fragments: int, late: int, rounds: int = 30) -> float:
    """Mean time of a round: steps one by one, exchanges one after the other, an exchange applied late."""
    places = [(k + 1) * tau // fragments for k in range(fragments)]  # after this step of a round
    now, link, start = 0.0, 0.0, 0.0
    due: list[tuple[int, float]] = []
    count = 0
    for t in range(2 * rounds):
        if t == rounds:
            start = now
        for k in range(1, tau + 1):
            now, count = now + step, count + 1
            for at, end in [d for d in due if d[0] == count]:
                now = max(now, end)
                due.remove((at, end))
            for _ in range(places.count(k)):
                link = max(now, link) + exchange
                if late:
                    due.append((count + late, link))
                else:
                    now = link
    return (now - start) / rounds


@pytest.mark.parametrize(
    ("tau", "fragments", "late"),
    [(1, 1, 0), (10, 1, 0), (10, 1, 4), (10, 1, 10), (12, 4, 0), (12, 4, 3), (12, 3, 2)],
)
def test_a_round_is_as_long_as_its_steps_and_exchanges(tau: int, fragments: int, late: int) -> None:
    whole = ReplicaExchange(payload=3e9, bandwidth=1e9, latency=0.05, replicas=4)
    plan = SynchronisationSchedule(0.7, whole, whole, fragments, late)
    computation, waiting = plan.rounds(np.array([tau]))
    simulated = simulate(0.7, whole.seconds(fragments), tau, fragments, late)
    assert computation[0] + waiting[0] == pytest.approx(simulated, rel=1e-12)


def test_exchanges() -> None:
    ring = ReplicaExchange(payload=8e9, bandwidth=1e9, latency=0.01, replicas=4)
    assert ring.seconds() == pytest.approx(6 * 0.01 + 1.5 * 8)  # 2 (m - 1) sends of P/m each
    assert 4 * ring.seconds(4) - ring.seconds() == pytest.approx(2 * 3 * 3 * 0.01)
    server = ReplicaExchange(
        payload=8e9, bandwidth=1e9, latency=0.01, replicas=4, participation=0.5, topology="server"
    )
    assert server.seconds() == pytest.approx(2 * 0.01 + 2 * 2 * 8)
    hidden = SynchronisationSchedule(1.0, ring, ring, fragments=2, late=5)
    least = hidden.stall_free_bandwidth(20)
    assert least is not None
    tight = ReplicaExchange(payload=8e9, bandwidth=least, latency=0.01, replicas=4)
    assert SynchronisationSchedule(1.0, tight, tight, 2, 5).waiting(20) == pytest.approx(0, abs=1e-12)
    assert SynchronisationSchedule(1.0, ring, ring, overlap=0.5).parallel_step == pytest.approx(
        (1.0, 12.06 - 0.5)
    )


def test_random_step_times_wait_for_the_slowest() -> None:
    link = ReplicaExchange(payload=1e9, bandwidth=1e9, latency=0.0, replicas=2)
    law = step_time_distribution("exponential")
    plan = SynchronisationSchedule(2.0, link, link, law=law)
    assert plan.computation(1) == pytest.approx(2.0 * 1.5)  # harmonic number of 2
    assert plan.computation(200) / 200 == pytest.approx(2.0, rel=0.05)
    with pytest.raises(BoundkitError, match="constant step times"):
        SynchronisationSchedule(2.0, link, link, late=1.0, law=law)
