"""FedAvg (McMahan, Moore, Ramage, Hampson, Agueera y Arcas, arXiv 1602.05629, Algorithm 1).

y <- y - eta g from y = x, tau_i times; x <- x - eta_s sum_S w_i (x - y_i). Options add heavy-ball
momentum to the local steps (v <- rho v + g, y <- y - eta v, v = 0 at the start of each round) and
momentum to the server, with u the weighted update and b = 0 initially:

b <- beta b + u,   x <- x - eta_s (n u + (1 - n (1 - beta)) b),

heavy ball for n = 0 (the default) and Nesterov's method for n = 1 (option ``nesterov``). Both weigh the past
updates by 1/(1 - beta) in total.

The option ``aggregation`` chooses the weights w_i. With S the participating clients, p_i the weights of the
objective, q_i the inclusion probabilities, m all clients:

weighted   p_i / sum_S p_j     the default; for unequal p its mean is not the full-participation step
mean       1 / |S|
all        1 / m               absent clients count as zero
sum        p_i                 absent clients count as zero
known      1 / (m q_i)         q_i given by the option ``probabilities``
unbiased   p_i / q_i           q_i from the participation; the mean is the full-participation step

A client that was sampled twice counts twice.

Local SGD and synchronous minibatch SGD are special cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    choice_option,
    list_option,
    number_option,
    received_model,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients


def _unbiased(inputs: WeightInputs) -> Array:
    if inputs.expected_counts is None:
        raise BoundkitError(
            "unbiased aggregation needs the inclusion probability of each client; "
            "a schedule has none, and neither has a participation that changes from round to round."
        )
    return _inverse_probability_weights(inputs, inputs.p)


def _known(inputs: WeightInputs) -> Array:
    return _inverse_probability_weights(inputs, np.ones_like(inputs.p) / inputs.m)


def _inverse_probability_weights(inputs: WeightInputs, values: Array) -> Array:
    q = inputs.expected_counts
    assert q is not None
    return inputs.counts * np.divide(values, q, out=np.zeros_like(values), where=q > 0)


AGGREGATIONS: dict[str, Callable[[WeightInputs], Array]] = {
    "weighted": lambda inputs: inputs.normalised(inputs.p),
    "mean": lambda inputs: inputs.normalised(np.ones_like(inputs.p)),
    "all": lambda inputs: inputs.counts / inputs.m,
    "sum": lambda inputs: inputs.counts * inputs.p,
    "known": _known,
    "unbiased": _unbiased,
}
"""Maps the participating clients to their weights, over the last axis."""
_DEPENDENCE = {"weighted": "ratio", "mean": "count"}
"""``weight_dependence`` of the aggregations for unequal p; the others depend on the client alone."""


class FedAvg(Algorithm):
    """FedAvg with the weighting schemes above, and momentum in local and server steps."""

    name = "fedavg"
    reference = "arXiv 1602.05629, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {
        "aggregation": "weighted",
        "probabilities": None,
        "momentum": 0.0,
        "server_momentum": 0.0,
        "nesterov": 0.0,
    }

    def check_options(self) -> None:
        choice_option(self, "aggregation", AGGREGATIONS)
        for name in {"momentum", "server_momentum"} & set(self.options):
            number_option(self, name, 0, 1)
        if "nesterov" in self.options:
            number_option(self, "nesterov", 0, 1, closed=True)
        if (self.settings["probabilities"] is None) == (self.settings["aggregation"] == "known"):
            raise BoundkitError(
                "aggregation known needs the option probabilities, and no other aggregation takes it."
            )

    def check_run(self, local_steps: Clients, clients: int) -> None:
        list_option(self, "probabilities", clients, 1, "in (0, 1]")

    @property
    def step_coefficients(self) -> tuple[float, float]:
        return float(self.settings.get("momentum", 0)), 0.0

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "b": x0 * 0} if self.settings["server_momentum"] else {"x": x0}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        y = received_model(state, round)
        return {"y": y, "v": y * 0} if self.settings.get("momentum") else {"y": y}

    def weights(self, inputs: WeightInputs) -> Array:
        return AGGREGATIONS[self.settings["aggregation"]](inputs)

    def weight_dependence(self, equal: bool) -> str:
        dependence = _DEPENDENCE.get(self.settings["aggregation"], "client")
        return "count" if equal and dependence == "ratio" else dependence

    def server_step(self, state: State, received: Received) -> State:
        if "b" not in state:
            return super().server_step(state, received)
        u, beta = received.aggregate, self.settings["server_momentum"]
        step, b = momentum_step(state["b"], u, beta, self.settings.get("nesterov", 0.0))
        return {**state, "x": state["x"] - received.round.eta_s * step, "b": b}


def momentum_step(b: AnyArray, u: AnyArray, beta: float, nesterov: float) -> tuple[AnyArray, AnyArray]:
    """n u + (1 - n (1 - beta)) b+ and b+ = beta b + u, n = ``nesterov``."""
    after = beta * b + u
    return (nesterov * u + (1 - nesterov * (1 - beta)) * after if nesterov else after), after


class FedAvgM(FedAvg):
    """FedAvgM (Hsu, Qi, Brown, arXiv 1909.06335, Section 4): FedAvg with momentum at the server.

    b <- beta b + u, x <- x - eta_s b for ``nesterov`` = 0, the paper's; x <- x - eta_s (u + beta b) for 1.
    The theorems hold for every momentum in [0, 1) and every ``nesterov`` in [0, 1].
    """

    name = "fedavgm"
    reference = "arXiv 1909.06335, Section 4"
    options: ClassVar[dict[str, Any]] = {
        "aggregation": "weighted",
        "probabilities": None,
        "server_momentum": 0.9,
        "nesterov": 0.0,
    }
    free_options = frozenset({"server_momentum", "nesterov"})


class LocalSGD(Algorithm):
    """Local SGD (Stich, arXiv 1805.09767, Algorithm 1; Wang and Joshi, Cooperative SGD, arXiv 1808.07576, eq.
    8).

    y <- y - eta g from y = x, tau_i times; x <- x - eta_s sum_S p_i (x - y_i) / sum_S p_j. This is FedAvg
    without options. The claims differ: they are for homogeneous clients, and bound the gradient at the
    virtual average xbar_k = sum_S p_i y_i^k / sum_S p_j after every local step, not only at the end of
    rounds. So the virtual average is observed inside rounds, as ``virtual_gradient_norm_squared``.

    Both papers average uniformly; that is p_i = 1/m.
    """

    name = "local_sgd"
    reference = "arXiv 1805.09767, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {}
    virtual = True


class MinibatchSGD(FedAvg):
    """Synchronous minibatch SGD: FedAvg with one local step, x <- x - eta_s eta sum p_i g_i(x).

    Clients communicate after every gradient (Bottou, Curtis, Nocedal, arXiv 1606.04838, Algorithm 4.1 with a
    minibatch over clients).

    ``local_steps`` must be 1.
    """

    name = "minibatch_sgd"
    reference = "arXiv 1606.04838, Algorithm 4.1"
    options: ClassVar[dict[str, Any]] = {
        "aggregation": "weighted",
        "probabilities": None,
        "server_momentum": 0.0,
        "nesterov": 0.0,
    }

    def check_run(self, local_steps: Clients, clients: int) -> None:
        super().check_run(local_steps, clients)
        if (local_steps != 1).any():
            raise BoundkitError(
                "minibatch_sgd averages after every gradient, so local_steps must be 1, "
                f"but it is {local_steps.max()}; for more, use fedavg."
            )
