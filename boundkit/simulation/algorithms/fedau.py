"""FedAU (Wang and Ji, arXiv 2306.03401, Algorithms 1 and 2).

x <- x - eta_s (1/m) sum_S omega_i (x - y_i) with y_i after tau_i plain local steps: divided by all m, not
by |S|. omega_i is the mean of the completed participation intervals, and 1 before the first is complete:
after each round, empty rounds included, every counter increases by one; that of a client that participated,
or whose counter has reached the cutoff K, is averaged into omega_i and reset to 0. So a weight depends only
on rounds before its own.

``cutoff``: K, a whole number, at least 1, or null for none (the published code takes 100000). The paper
recommends 50: a client of sampling probability q then weighs (1 - (1 - q)^K)/q instead of 1/q.

``weights``: m numbers above 0 that replace the omega_i and stay constant, as in the paper's Theorem 1;
null by default. The cutoff then has no effect.
"""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    averaged,
    count_option,
    list_option,
    zeros,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like

_DOUBLINGS = 60
"""Squarings of a transition matrix, after which its powers have converged."""


class FedAU(Algorithm):
    """FedAU; ``cutoff`` and ``weights`` null by default."""

    name = "fedau"
    reference = "arXiv 2306.03401, Algorithms 1 and 2"
    options: ClassVar[dict[str, Any]] = {"cutoff": None, "weights": None}
    free_options = frozenset({"cutoff"})  # a symbol of the theorems
    counters = frozenset({"omega", "records", "since"})

    def check_options(self) -> None:
        count_option(self, "cutoff", nullable=True)
        if self.settings["cutoff"] is not None and self.settings["weights"] is not None:
            raise BoundkitError(
                "fedau with fixed weights has no intervals that a cutoff could end: give cutoff or weights."
            )

    def check_run(self, local_steps: Clients, clients: int) -> None:
        list_option(self, "weights", clients, sys.float_info.max, "above 0")

    @property
    def stateless(self) -> bool:
        return self.settings["weights"] is not None

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        if self.stateless:
            return {"x": x0}
        none = zeros(x0, oracle.m)
        return {"x": x0, "omega": none + 1, "records": none, "since": none}

    def message(self, state: State, local: Local, round: Round) -> Message:
        sent = super().message(state, local, round)
        if self.stateless:
            omega = as_like(self.settings["weights"], state["x"])[round.clients]
            sent["update"] = omega[..., None] * sent["update"]
        return sent

    def weights(self, inputs: WeightInputs) -> Array:
        return inputs.counts / inputs.m

    def weight_dependence(self, equal: bool) -> str:
        return "client"

    def server_step(self, state: State, received: Received) -> State:
        if self.stateless:
            return {"x": averaged(state, received)}
        round = received.round
        w = round.weights * round.gather(state["omega"])
        u = array_namespace(w).sum(w[..., None] * received.updates, axis=1)
        after = self._count(state, round.participates(len(u)))
        return {**after, "x": state["x"] - round.eta_s * u}

    def empty_round(self, state: State, round: Round) -> State:
        return state if self.stateless else self._count(state, state["since"] < 0)

    def _count(self, state: State, participates: AnyArray) -> State:
        """All counters one round later; ``participates``: (R, m)."""
        xp = array_namespace(state["since"])
        since, omega, records = state["since"] + 1, state["omega"], state["records"]
        K = self.settings["cutoff"]
        ends = participates if K is None else participates | (since >= K)
        updated = omega + (since - omega) / (records + 1)
        return {
            **state,
            "omega": xp.where(ends, updated, omega),
            "records": xp.where(ends, records + 1, records),
            "since": xp.where(ends, 0.0, since),
        }

    def limit_of_counters(self, state: State, inclusion: Array) -> State:
        omega = as_like(mean_intervals(inclusion, self.settings["cutoff"]), state["omega"])
        return {
            **state,
            "omega": array_namespace(omega).broadcast_to(omega, state["omega"].shape),
            "records": state["records"] + float("inf"),
            "since": state["since"] * 0,
        }


def mean_intervals(inclusion: Array, cutoff: int | None) -> Array:
    """The long-run mean of the recorded intervals, (m,); 1 for a client without participation and cutoff.

    Without a cutoff K it is period/(participations in a period); with K and a constant probability q it is
    (1 - (1 - q)^K)/q.

    ``inclusion``: the inclusion probability of each client in each round of a period, (period, m). With a
    cutoff, participation is taken as independent from round to round, as it is under any schedule. The first
    counter starts before round 0.
    """
    q = np.clip(inclusion, 0.0, 1.0)
    if cutoff is None:
        total = q.sum(axis=0)
        return np.asarray(np.divide(len(q), total, out=np.ones_like(total), where=total > 0))
    return np.array([_mean_cut_interval(column, cutoff) for column in q.T])


def _mean_cut_interval(q: Array, cutoff: int) -> float:
    """The mean from the Markov chain of the phases of a period at which one client's counter is reset.

    From phase s the record is k < K rounds long with probability
    q(s + k - 1) prod_{j < k} (1 - q(s + j - 1)), and K rounds with the rest. Lengths that differ by whole
    periods share a phase and a factor.
    """
    period = len(q)
    phases, lengths = np.arange(period), np.arange(1, period + 1)
    hazard = q[(phases[:, None] + lengths - 1) % period]
    survival = np.cumprod(np.hstack([np.ones((period, 1)), 1 - hazard]), axis=1)
    a_period = survival[:, -1]
    times = np.maximum(0, -((lengths - cutoff) // period))
    mass, mean_periods = _geometric_sums(a_period[:, None], times)
    first = survival[:, :-1] * hazard
    ends = (phases[:, None] + lengths) % period
    P = np.zeros((period, period))
    np.add.at(P, (phases[:, None], ends), first * mass)
    length = (first * (lengths * mass + period * mean_periods)).sum(axis=1)
    left = a_period ** ((cutoff - 1) // period) * survival[:, (cutoff - 1) % period]
    P[phases, (phases + cutoff) % period] += left
    length += cutoff * left
    return float(_stationary_distribution(P) @ length)


def _geometric_sums(factor: Array, times: Array) -> tuple[Array, Array]:
    """sum_j factor^j and sum_j j factor^j over j < times."""
    n, f = times.astype(np.float64), np.broadcast_to(factor, (len(factor), len(times)))
    one = np.where(f < 1, 1 - f, 1.0)
    power = f**n
    plain = np.where(f < 1, (1 - power) / one, n)
    weighted = np.where(f < 1, (f * (1 - power) / one - n * power) / one, n * (n - 1) / 2)
    return plain, weighted


def _stationary_distribution(P: Array) -> Array:
    """Long-run frequencies of the phases in the chain P, from phase 0."""
    mean, step = np.eye(len(P)), P
    for _ in range(_DOUBLINGS):
        mean = (mean + step @ mean) / 2
        step = step @ step
    return np.asarray(mean[0] / mean[0].sum())
