"""FedAU (Wang and Ji, arXiv 2306.03401, Algorithms 1 and 2).

x <- x - eta_s (1/m) sum_S omega_i (x - y_i) with y_i after tau_i plain local steps: divided by all m, not
by |S|. omega_i is the mean of the completed participation intervals, and 1 before the first is complete:
after each round, empty rounds included, every clock increases by one; a client that participated, or
whose clock has reached the cutoff K, averages the clock into omega_i and resets it to 0. So a weight depends
only on rounds before its own.

``cutoff``: K, a whole number, at least 1, or null for none (the published code takes 100000). The paper
recommends 50: a client of sampling probability q then weighs (1 - (1 - q)^K)/q instead of 1/q.

``weights``: m numbers above 0 that replace the omega_i and stay constant, as in the paper's Theorem 1;
null by default. The cutoff then has no effect.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Array,
    Came,
    Clients,
    Local,
    Oracle,
    Received,
    Round,
    Sent,
    State,
)
from boundkit.simulation.algorithms.participation_intervals import mean_intervals
from boundkit.simulation.algorithms.sgd_steps import PlainSteps, averaged

if TYPE_CHECKING:
    import torch


class FedAU(PlainSteps):
    """FedAU; ``cutoff`` and ``weights`` null by default."""

    name = "fedau"
    reference = "arXiv 2306.03401, Algorithms 1 and 2"
    options: ClassVar[dict[str, Any]] = {"cutoff": None, "weights": None}
    harmless = frozenset({"cutoff"})  # a symbol of the theorems
    clocks = frozenset({"omega", "records", "since"})

    def check_options(self) -> None:
        K = self.settings["cutoff"]
        whole = isinstance(K, (int, np.integer)) and not isinstance(K, bool)
        if K is not None and not (whole and K >= 1):
            raise BoundkitError(
                f"the option cutoff of fedau must be a whole number, at least 1, or null, "
                f"but it is {reprlib.repr(K)}."
            )
        if K is not None and self.settings["weights"] is not None:
            raise BoundkitError("fedau with fixed weights cuts no intervals off: give cutoff or weights.")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        w = self.settings["weights"]
        numbers = isinstance(w, (list, tuple)) and all(
            isinstance(v, (int, float)) and not isinstance(v, bool) and 0 < v < float("inf") for v in w
        )
        if w is not None and not (numbers and len(w) == clients):
            raise BoundkitError(
                f"the option weights of fedau must be {clients} numbers above 0, one a client, or null."
            )

    @property
    def memoryless(self) -> bool:
        return self.settings["weights"] is not None

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        if self.memoryless:
            return {"x": x0}
        zeros = x0.new_zeros(x0.shape[0], oracle.m)
        return {"x": x0, "omega": zeros + 1, "records": zeros, "since": zeros}

    def leave(self, state: State, local: Local, round: Round) -> Sent:
        sent = super().leave(state, local, round)
        if self.memoryless:
            omega = state["x"].new_tensor(self.settings["weights"])[round.clients]
            sent["update"] = omega[..., None] * sent["update"]
        return sent

    def weights(self, came: Came) -> Array:
        return came.counts / came.m

    def separable(self, equal: bool) -> str:
        return "who"

    def server_step(self, state: State, received: Received) -> State:
        if self.memoryless:
            return {"x": averaged(state, received)}
        round = received.round
        w = round.weights * round.gather(state["omega"])
        u = (w[..., None] * received.updates).sum(dim=1)
        after = self._count(state, round.present(len(u)))
        return {**after, "x": state["x"] - round.eta_s * u}

    def idle(self, state: State, round: Round) -> State:
        return state if self.memoryless else self._count(state, state["since"] < 0)

    def _count(self, state: State, came: torch.Tensor) -> State:
        """All clocks one round later; ``came``: (R, m)."""
        import torch

        since, omega, records = state["since"] + 1, state["omega"], state["records"]
        K = self.settings["cutoff"]
        over = came if K is None else came | (since >= K)
        averaged = omega + (since - omega) / (records + 1)
        return {
            **state,
            "omega": torch.where(over, averaged, omega),
            "records": records + over,
            "since": torch.where(over, torch.zeros_like(since), since),
        }

    def settled(self, state: State, probabilities: Array) -> State:
        omega = state["x"].new_tensor(mean_intervals(probabilities, self.settings["cutoff"]))
        return {
            **state,
            "omega": omega.expand_as(state["omega"]),
            "records": state["records"] + float("inf"),
            "since": state["since"] * 0,
        }
