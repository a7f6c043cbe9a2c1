"""FedAU (Wang and Ji, arXiv 2306.03401, Algorithms 1 and 2).

x <- x - eta_s (1/m) sum_S omega_i (x - y_i) with y_i after tau_i plain local steps: divided by all m, not
by those who came. omega_i is the mean of the intervals between visits so far, and 1 before the first is
finished: after each round, whether somebody came or not, every clock counts one; a client that came, or
whose clock has reached the cutoff K, averages the clock into omega_i and sets it to 0. So a weight uses
what happened before its round alone.

``cutoff``: K, a whole number, at least 1, or null for none (the published code takes 100000). The paper
recommends 50: a client that comes with chance q then weighs (1 - (1 - q)^K)/q instead of 1/q.
"""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.verify.algorithms.base import Array, Came, Oracle, Received, Round, State
from boundkit.verify.algorithms.intervals import mean_intervals
from boundkit.verify.algorithms.plain_steps import PlainSteps

if TYPE_CHECKING:
    import torch


class FedAU(PlainSteps):
    """FedAU; ``cutoff`` null by default."""

    name = "fedau"
    reference = "arXiv 2306.03401, Algorithms 1 and 2"
    options: ClassVar[dict[str, Any]] = {"cutoff": None}
    harmless = frozenset({"cutoff"})  # a letter of the theorems
    clocks = frozenset({"omega", "records", "since"})

    def check_options(self) -> None:
        K = self.settings["cutoff"]
        whole = isinstance(K, (int, np.integer)) and not isinstance(K, bool)
        if K is not None and not (whole and K >= 1):
            raise BoundkitError(
                f"the option cutoff of fedau must be a whole number, at least 1, or null, "
                f"but it is {reprlib.repr(K)}."
            )

    @property
    def memoryless(self) -> bool:
        return False

    def start(self, x0: torch.Tensor, oracle: Oracle) -> State:
        zeros = x0.new_zeros(x0.shape[0], oracle.m)
        return {"x": x0, "omega": zeros + 1, "records": zeros, "since": zeros}

    def weights(self, came: Came) -> Array:
        return came.counts / came.m

    def separable(self, equal: bool) -> str:
        return "who"

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        w = round.weights * round.gather(state["omega"])
        u = (w[..., None] * received.updates).sum(dim=1)
        after = self._count(state, round.present(len(u)))
        return {**after, "x": state["x"] - round.eta_s * u}

    def idle(self, state: State, round: Round) -> State:
        return self._count(state, state["since"] < 0)

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

    def settled(self, state: State, coming: Array) -> State:
        omega = state["x"].new_tensor(mean_intervals(coming, self.settings["cutoff"]))
        return {
            **state,
            "omega": omega.expand_as(state["omega"]),
            "records": state["records"] + float("inf"),
            "since": state["since"] * 0,
        }
