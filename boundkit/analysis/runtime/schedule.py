r"""Exchanges of a model beside local steps: ring all-reduce or a server, overlap, streaming of fragments.

An exchange of P bytes among n = C m participating replicas, over links of bandwidth B and latency l, takes

    2 (n - 1) l + 2 ((n - 1)/n) P/B  in a ring,   2 l + 2 n P/B  through a server.

With steps of time y, a round of tau steps takes

    tau y + c                      where replicas wait for the exchange,
    tau y + (c - h y)_+            where the outer step comes h <= tau steps late,
    tau y + Q (c_Q - h y)_+        in Q fragments at even distances, each h <= tau/Q steps late,

and a step of data-parallel training y + (c - o y)_+, with a share o of a step over which the exchange of
gradients is spread. All is exact for constant times of a step; random ones are for replicas that wait.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.evaluate import Array
from boundkit.analysis.runtime.distributions import StepTime, step_time_distribution
from boundkit.analysis.runtime.schemes import duration

TOPOLOGIES = ("ring", "server")


@dataclass(frozen=True)
class ReplicaExchange:
    """An exchange among ``replicas``: bytes, bytes per second of a link, and seconds of latency."""

    payload: float
    bandwidth: float
    latency: float
    replicas: int
    participation: float = 1.0
    topology: str = "ring"

    def __post_init__(self) -> None:
        if self.topology not in TOPOLOGIES:
            raise unknown("topology", self.topology, TOPOLOGIES)
        if self.replicas < 2:
            raise BoundkitError(f"an exchange needs at least 2 replicas, but {self.replicas} was given.")

    @property
    def participants(self) -> float:
        """C m."""
        return self.participation * self.replicas

    @property
    def latencies(self) -> float:
        """Latencies, one after the other, of an exchange."""
        return 2 * (self.participants - 1) if self.topology == "ring" else 2.0

    @property
    def volume(self) -> float:
        """Bytes that pass the slowest link."""
        share = 2 * (self.participants - 1) / self.participants if self.topology == "ring" else None
        return self.payload * (2 * self.participants if share is None else share)

    def seconds(self, fragments: int = 1) -> float:
        """The time of an exchange of one of ``fragments`` equal parts."""
        return self.latencies * self.latency + self.volume / (fragments * self.bandwidth)


@dataclass(frozen=True)
class SynchronisationSchedule:
    """Steps and exchanges of local SGD, and of data-parallel training beside it.

    ``outer``, ``gradients``: exchanges of a round, and of a step of data-parallel training. ``late``: steps
    h by which an outer step may come late; ``overlap``: share of a step over which gradients are exchanged.
    """

    step_time: float
    outer: ReplicaExchange
    gradients: ReplicaExchange
    fragments: int = 1
    late: float = 0.0
    overlap: float = 0.0
    law: StepTime = field(default_factory=lambda: step_time_distribution("constant"))

    def __post_init__(self) -> None:
        if self.law.name != "constant" and (self.late or self.overlap):
            raise BoundkitError(
                f"the time of overlapped exchanges is known for constant step times; leave out late and "
                f"overlap, or the law {self.law.name}."
            )
        if not 0 <= self.overlap <= 1:
            raise BoundkitError(
                f"overlap is the share of a step during which gradients are exchanged, from 0 to 1, but "
                f"{self.overlap:g} was given."
            )

    @property
    def participants(self) -> int:
        """Replicas of a round."""
        return round(self.outer.participants)

    def computation(self, tau: int) -> float:
        """The time of tau steps of the slowest participant, in expectation."""
        if self.law.name == "constant":
            return tau * self.step_time
        at = {"m": float(self.participants), "tau": float(tau), "step_time": self.step_time, "delay": 0.0}
        return duration("local", self.law, at).round

    def waiting(self, tau: int) -> float:
        """The time of a round in which replicas wait for exchanges."""
        hidden = min(self.late, tau / self.fragments) * self.step_time
        return self.fragments * max(self.outer.seconds(self.fragments) - hidden, 0.0)

    def rounds(self, taus: Array) -> tuple[Array, Array]:
        """Computation and waiting of a round, at each tau."""
        pairs = np.array([(self.computation(int(t)), self.waiting(int(t))) for t in taus])
        return pairs[:, 0], pairs[:, 1]

    @cached_property
    def parallel_step(self) -> tuple[float, float]:
        """Computation and waiting of a step of data-parallel training."""
        exposed = self.gradients.seconds() - self.overlap * self.step_time
        return self.computation(1), max(exposed, 0.0)

    def accumulated(self, steps: int) -> float:
        """The time of a step of data-parallel training that accumulates the gradients of several."""
        computation, waiting = self.computation(steps), self.parallel_step[1]
        return computation + waiting

    def most_speedup(self, taus: Array) -> Array:
        """Times data-parallel training, step by step: the speed-up where no step is lost to local steps."""
        computation, waiting = self.rounds(taus)
        return np.asarray(sum(self.parallel_step) * taus / (computation + waiting))

    def stall_free_bandwidth(self, tau: int) -> float | None:
        """The least bandwidth at which exchanges are hidden; None where latency alone is longer."""
        hidden = min(self.late, tau / self.fragments) * self.step_time
        left = hidden - self.outer.latencies * self.outer.latency
        return self.outer.volume / (self.fragments * left) if left > 0 else None
