"""FedAWE and re-weighting by gaps (Xiang, Ioannidis, Yeh, Joe-Wong, Su, arXiv 2409.17446).

The gap of client i in round t is t - t_i, with t_i the last round before t in which it participated (-1 if
none). An empty round only increases the gaps.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    EqualWeights,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    choice_option,
    copies,
    zero_client_state,
    zeros,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like

DIVISORS = ("came", "all")


class FedAWE(EqualWeights):
    """FedAWE (Algorithm 1 of the paper), without options.

    Every client stores a model x_i of its own, initially x_0. Participating clients take tau_i plain steps
    from x_i, not from the server's model, to y_i, and

    x_i+ = x_i - eta_s (t - t_i) (x_i - y_i)      the echo compensates for missed rounds
    x = mean_S x_i+                               the plain mean, stored by i in S; the others keep x_i

    x is the last aggregate. The theorems refer to two other points, at which the problem is observed too:
    ``mean_model``, (1/m) sum_i x_i, and ``auxiliary``, (1/m) sum_i z_i with

    z_i = x_i - eta eta_s tau_i (t - t_i - 1) grad F_i(x_i)      the gradient without noise

    where absent clients count the tau_i of the round. ``spread`` is (1/m) sum_i ||x_i - mean_j x_j||^2 after
    the round. For tau_i = 1 and no noise the mean of z_i changes by
    -eta eta_s (1/m) sum_i grad F_i(x_i) in every round, for any participation. The published code clips the
    mean echo at norm 0.5 and lets eta decay; this does not.
    """

    name = "fedawe"
    reference = "arXiv 2409.17446, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {}
    counters = frozenset({"gap"})
    stateless = False

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {
            "x": x0,
            "stored": copies(x0, oracle.m),
            "offset": zero_client_state(x0, oracle.m),
            "gap": zeros(x0, oracle.m) + 1,
        }

    def plan(self, state: State, t: int, steps: Clients, oracle: ServerOracle) -> tuple[State, Clients]:
        tau = as_like(steps, state["x"])
        return {**state, "gradients": tau[..., None] * oracle.gradients(state["stored"])}, steps

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": round.gather(state["stored"])}

    def message(self, state: State, local: Local, round: Round) -> Message:
        model = round.gather(state["stored"])
        return {"update": model - local["y"], "model": model}

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        echo = round.eta_s * round.gather(state["gap"])
        echoed = received.sent["model"] - echo[..., None] * received.updates
        x = array_namespace(echoed).sum(round.weights[..., None] * echoed, axis=1)
        stored = round.scatter(state["stored"], x[:, None, :])
        return self._later({**state, "x": x, "stored": stored}, round, round.participates(len(x)))

    def empty_round(self, state: State, round: Round) -> State:
        return self._later(state, round, state["gap"] < 0)

    def _later(self, state: State, round: Round, participates: AnyArray) -> State:
        """The counters one round later, and the offset of z_i from x_i; ``participates``: (R, m)."""
        gap = _next_gaps(state["gap"], participates)
        missed = round.eta * round.eta_s * (gap - 1)
        offset = missed[..., None] * state["gradients"]
        return {"x": state["x"], "stored": state["stored"], "offset": offset, "gap": gap}

    def diagnostics(self, state: State) -> dict[str, AnyArray]:
        xp, stored = array_namespace(state["stored"]), state["stored"]
        deviations = stored - xp.mean(stored, axis=1, keepdims=True)
        return {"spread": xp.mean(xp.sum(deviations**2, axis=2), axis=1)}

    def models(self, state: State) -> dict[str, AnyArray]:
        xp, stored = array_namespace(state["stored"]), state["stored"]
        auxiliary = xp.mean(stored - state["offset"], axis=1)
        return {"mean_model": xp.mean(stored, axis=1), "auxiliary": auxiliary}


class GapReweighted(Algorithm):
    """Re-weighting by the gap t - t_i alone, the counterexample in the discussion of FedAWE.

    Clients start from the server's model, and the option ``divisor`` is one of

    came   x <- x - eta_s (1/|S|) sum_S (t - t_i) (x - y_i)      the default
    all    x <- x - eta_s (1/m) sum_S (t - t_i) (x - y_i)

    With ``came`` it is biased for any eta: where one of two clients participates in every round and the other
    in every second round, the limit is (3 u_1 + 2 u_2)/5 instead of (u_1 + u_2)/2. With ``all``, as in FedAU,
    it is unbiased.
    """

    name = "gap_reweighted"
    reference = "the discussion of arXiv 2409.17446"
    options: ClassVar[dict[str, Any]] = {"divisor": "came"}
    counters = frozenset({"gap"})
    stateless = False

    def check_options(self) -> None:
        choice_option(self, "divisor", DIVISORS)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "gap": zeros(x0, oracle.m) + 1}

    def weights(self, inputs: WeightInputs) -> Array:
        if self.settings["divisor"] == "all":
            return inputs.counts / inputs.m
        return inputs.normalised(np.ones_like(inputs.p))

    def weight_dependence(self, equal: bool) -> str:
        return "client" if self.settings["divisor"] == "all" else "count"

    def server_step(self, state: State, received: Received) -> State:
        xp, round, gap = array_namespace(state["gap"]), received.round, state["gap"]
        w = round.weights * round.gather(gap)
        u = xp.sum(w[..., None] * received.updates, axis=1)
        return {"x": state["x"] - round.eta_s * u, "gap": _next_gaps(gap, round.participates(len(u)))}

    def empty_round(self, state: State, round: Round) -> State:
        return {**state, "gap": state["gap"] + 1}


def _next_gaps(gaps: AnyArray, participates: AnyArray) -> AnyArray:
    """The gaps of the next round, (R, m)."""
    return array_namespace(gaps).where(participates, 1.0, gaps + 1)
