"""Asynchronous SGD (Agarwal and Duchi, arXiv 1104.5525; Lian, Huang, Li, Liu, arXiv 1506.08272, Algorithm 1).

x_{t+1} = x_t - eta_s eta g(x_{t - d_t}): a gradient at the model of d_t rounds ago. Clients participate as in
the run's participation, usually one a round; where several participate their gradients are weighted by
p_i / sum_S p_j, and each may have its own delay. Models before x_0 are x_0: the delay of round t is at most
t. Empty rounds count as rounds.

``delays``: d_t, a whole number (0 by default), or a list of them, repeated cyclically: one entry a
round, itself a number, or one number a client. [[0, 3]] means two clients with constant delays 0 and 3.

Delays are given, and so independent of the noise, as the theorems assume. In the published algorithms they
arise from clients with random computation times.
"""

from __future__ import annotations

import reprlib
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    averaged,
    copies,
    zeros,
)
from boundkit.simulation.algorithms.round import replica_index
from boundkit.simulation.arrays import AnyArray, Clients, array_namespace, to_device

MOST = 10_000
"""The longest allowed delay: that many models are stored."""


class AsyncSGD(Algorithm):
    """SGD with gradients of older models; local_steps must be 1."""

    name = "async_sgd"
    reference = "arXiv 1506.08272, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"delays": 0}
    counters = frozenset({"turn"})
    free_options = frozenset({"delays"})  # the theorems have a symbol for the longest

    def check_options(self) -> None:
        given = self.settings["delays"]
        for row in given if isinstance(given, (list, tuple)) else [given]:
            for d in row if isinstance(row, (list, tuple)) else [row]:
                if isinstance(d, bool) or not isinstance(d, int) or not 0 <= d <= MOST:
                    raise BoundkitError(
                        "the option delays of async_sgd must be a whole number of rounds, or a list of them, "
                        f"each from 0 to {MOST:,}, but it holds {reprlib.repr(d)}."
                    )
        if isinstance(given, (list, tuple)) and (not given or () in map(_row, given)):
            raise BoundkitError("the option delays of async_sgd must not be an empty list, or hold one.")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if (local_steps != 1).any():
            raise BoundkitError(
                "async_sgd takes one gradient of each participating client, so local_steps must be 1, "
                f"but it is {local_steps.max()}."
            )
        if any(len(row) not in (1, clients) for row in self._rows):
            raise BoundkitError(
                f"an entry of the option delays of async_sgd must be one number, or {clients}, one a client."
            )

    @property
    def _rows(self) -> list[tuple[int, ...]]:
        given = self.settings["delays"]
        return [_row(row) for row in (given if isinstance(given, (list, tuple)) else [given])]

    @property
    def staleness(self) -> int:
        """The longest delay."""
        return max(max(row) for row in self._rows)

    @property
    def stateless(self) -> bool:
        return self.staleness == 0

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        state = {"x": x0}
        if self.staleness:
            state["past"] = copies(x0, self.staleness)
        if self.staleness and len(self._rows) > 1:
            state["turn"] = zeros(x0, 1)
        return state

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        local = super().local_start(state, round, oracle)
        if not self.staleness:
            return local
        stale = self._stale(state, round)
        return {"y": stale, "stale": stale}

    def _stale(self, state: State, round: Round) -> AnyArray:
        """The delayed models at which clients compute gradients, (R, n, d)."""
        xp = array_namespace(state["x"])
        models = xp.concat([state["x"][:, None, :], state["past"]], axis=1)
        turn = state["turn"][:, 0] if "turn" in state else zeros(models)
        table = np.stack([np.broadcast_to(row, round.m) for row in self._rows])
        delays = to_device(table, models)[xp.astype(turn, xp.int64)]
        return models[replica_index(models), round.gather(delays)]

    def message(self, state: State, local: Local, round: Round) -> Message:
        if not self.staleness:
            return super().message(state, local, round)
        return {"update": local["stale"] - local["y"]}

    def server_step(self, state: State, received: Received) -> State:
        return {**self._later(state), "x": averaged(state, received)}

    def empty_round(self, state: State, round: Round) -> State:
        return self._later(state)

    def _later(self, state: State) -> State:
        """The state one round later, at the same model."""
        after = dict(state)
        if "past" in state:
            xp, past = array_namespace(state["past"]), state["past"]
            after["past"] = xp.concat([state["x"][:, None, :], past[:, :-1]], axis=1)
        if "turn" in state:
            after["turn"] = (state["turn"] + 1) % len(self._rows)
        return after


def _row(entry: Any) -> tuple[int, ...]:
    return tuple(entry) if isinstance(entry, (list, tuple)) else (entry,)
