"""FedNova (Wang, Liu, Liang, Joshi, Poor, arXiv 2007.07481, Algorithm 1 and equations 4 to 7).

Local step k of a round, from v = 0 and y = x: v <- rho v + g, y <- y - eta gamma^k (v + mu (y - x)). So
x - y_i = eta sum_k a_{i,k} g_k with weights a_i that do not depend on the gradients; each client's update is
divided by ||a_i||_1, so that clients with more steps get no more weight:

u = tau_eff sum_S p_i (x - y_i)/||a_i||_1 / sum_S p_j;   b <- beta b + u, x <- x - eta_s b.

``momentum``            rho, default 0
``mu``                  proximal coefficient, default 0; its term stays outside the momentum buffer
``decay``               gamma, the factor of the step size at every local step of a round, default 1
``server_momentum``     beta, default 0
``tau_eff``             null (default): sum_S p_i ||a_i||_1 / sum_S p_j; "steps": the same of tau_i; a number
``variance_reduction``  g_i - c_i + sum_j p_j c_j, over all m, in place of g_i (section 5), with c_i the mean
                        raw gradient of the client's last round, 0 at first; default false

The published code (JYWa/FedNova) adds the proximal term into the momentum buffer where both are given, and
then normalises by a number other than ||a_i||_1; and it takes tau_eff = "steps" as soon as mu > 0.
"""

from __future__ import annotations

import reprlib
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ClientOracle,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    number_option,
    received_model,
    server_control,
    truth_option,
    zero_client_state,
)
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.arrays import AnyArray, Array, Clients, as_like

_LONG = 10_000
"""Local steps from which the weights at a constant step size are summed by doubling."""


class FedNova(Algorithm):
    """Updates divided by the sum of the weights of their gradients."""

    name = "fednova"
    reference = "arXiv 2007.07481, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {
        "momentum": 0.0,
        "mu": 0.0,
        "decay": 1.0,
        "variance_reduction": False,
        "server_momentum": 0.0,
        "tau_eff": None,
    }

    def check_options(self) -> None:
        number_option(self, "momentum", 0, 1)
        number_option(self, "server_momentum", 0, 1)
        number_option(self, "mu", 0, float("inf"))
        number_option(self, "decay", 0, 1, closed=True)
        truth_option(self, "variance_reduction")
        rule = self.settings["tau_eff"]
        number = isinstance(rule, (int, float)) and not isinstance(rule, bool) and 0 < rule < float("inf")
        if not (rule is None or rule == "steps" or number):
            raise BoundkitError(
                "the option tau_eff of fednova must be a number above 0, the word steps, or null, "
                f"but it is {reprlib.repr(rule)}."
            )

    @property
    def stateless(self) -> bool:
        return not self.settings["variance_reduction"]

    def rates(self, rates: Array) -> Array:
        """The run's step sizes, multiplied by powers of ``decay`` inside the round."""
        decay = self.settings["decay"]
        if decay == 1:
            return rates
        what = f"the list of {len(rates):,} step sizes that fall by decay"
        refuse_larger(40 * len(rates), what, "use fewer local steps, or decay 1")
        return np.asarray(rates * decay ** np.arange(len(rates)))

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        state = super().start(x0, oracle)
        if self.settings["server_momentum"]:
            state["b"] = x0 * 0
        if self.settings["variance_reduction"]:
            state["controls"] = zero_client_state(x0, oracle.m)
        return state

    def plan(self, state: State, t: int, steps: Clients, oracle: ServerOracle) -> tuple[State, Clients]:
        if "controls" not in state:
            return state, steps
        return {**state, "control": server_control(state["controls"], oracle.p)}, steps

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        local = {"y": x, "x": x}
        if self.settings["momentum"]:
            local["v"] = x * 0
        if "controls" in state:
            local["correction"] = state["control"][:, None, :] - round.gather(state["controls"])
            local["total"] = x * 0
        return local

    @property
    def step_coefficients(self) -> tuple[float, float]:
        return float(self.settings["momentum"]), float(self.settings["mu"])

    def message(self, state: State, local: Local, round: Round) -> Message:
        message = super().message(state, local, round)
        if "total" in local:
            message["control"] = local["total"] / as_like(round.steps, local["total"])[..., None]
        return message

    def weights(self, inputs: WeightInputs) -> Array:
        share, a = inputs.normalised(inputs.p), self.weight_sums(inputs.rates, inputs.steps)
        rule = self.settings["tau_eff"]
        if rule is None or rule == "steps":
            rule = (share * (a if rule is None else inputs.steps)).sum(axis=-1, keepdims=True)
        return np.asarray(rule * share / a)

    def weight_sums(self, rates: Array, steps: Clients) -> Array:
        """||a_i||_1 of clients with these numbers of steps at these step sizes, in units of the first.

        With constant step size, decay 1 and c = 1 - eta mu: the sum over j <= tau of (c^j - rho^j)/(c - rho).
        Raises BoundkitError where the proximal term overshoots so far that weights cancel.
        """
        momentum, mu = float(self.settings["momentum"]), float(self.settings["mu"])
        if is_constant(rates) and len(rates) > _LONG:
            from boundkit.analysis.evaluate import weight_sum  # here: it imports sympy

            contraction, rho = np.array(1 - rates[0] * mu), np.array(momentum)
            sums = weight_sum(contraction, rho, np.array([2.0, *np.unique(steps)]))
            result = weight_sum(contraction, rho, steps.astype(float))
        else:
            sums = _weight_sums(tuple(rates), momentum, mu)
            result = sums[steps - 1]
        if (sums <= 0).any():
            raise BoundkitError(
                f"mu = {self.settings['mu']:g} at eta = {rates[0]:g} overshoots the server's model, so that "
                "the weights of the gradients cancel; eta mu must be below 1."
            )
        return result

    def weight_dependence(self, equal: bool) -> str:
        return "count" if equal else "all"

    def server_step(self, state: State, received: Received) -> State:
        u, round, after = received.aggregate, received.round, self.empty_round(state, received.round)
        if "b" in state:
            after["b"] = u = self.settings["server_momentum"] * state["b"] + u
        if "controls" in state:
            after["controls"] = round.scatter(state["controls"], received.sent["control"])
        after["x"] = state["x"] - round.eta_s * u
        return after

    def empty_round(self, state: State, round: Round) -> State:
        return {n: v for n, v in state.items() if n != "control"}  # which is recomputed in every round


@lru_cache(maxsize=16)
def _weight_sums(rates: tuple[float, ...], momentum: float, mu: float) -> Array:
    """(x - y)/eta after each local step for constant gradient 1: the solver itself, applied to numbers."""
    displacement, v, sums = 0.0, 0.0, np.empty(len(rates))
    for k, rate in enumerate(rates):
        v = momentum * v + 1
        displacement += rate / rates[0] * v - rate * mu * displacement
        sums[k] = displacement
    return sums
