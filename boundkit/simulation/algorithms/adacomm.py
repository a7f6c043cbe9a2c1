"""AdaComm (Wang and Joshi, arXiv 1810.08313, Section 4): fewer local steps as the loss falls.

Local SGD, with the same tau for all clients: tau_0 at first, and before round t = period, 2 period, ...

    proposed = ceil(tau_0 sqrt((F(x_t) - F_inf)/(F(x_0) - F_inf))), at least 1;
    tau <- proposed if that is smaller, else ceil(shrink tau).

The server step is x <- x - eta_s sum_S p_i (x - y_i) / sum_S p_j. The tau of each round is recorded as
``local_steps``. Empty rounds count as rounds.

``tau_0``: a whole number; by default the run's local_steps, which have no effect where tau_0 is given.
``period``: rounds between two choices, 10 by default; in the paper it is a time, 60 seconds (recalled).
``shrink``: above 0 and below 1; 1/2 by default, as in the paper.

The paper writes F/F_0, which assumes F_inf = 0. Its factor sqrt(eta_0/eta) for decaying
step sizes is omitted.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.adacomm import decreasing_steps
from boundkit.simulation.algorithms.base import (
    Algorithm,
    ServerOracle,
    State,
    count_option,
    number_option,
    zeros,
)
from boundkit.simulation.arrays import AnyArray, Array, Clients, as_like, to_float64


class AdaComm(Algorithm):
    """Local SGD whose number of local steps decreases with the loss."""

    name = "adacomm"
    reference = "arXiv 1810.08313, Section 4"
    options: ClassVar[dict[str, Any]] = {"tau_0": None, "period": 10, "shrink": 0.5}
    free_options = frozenset(options)  # they choose the tau_r, which the theorem leaves free
    virtual = True
    affine = False  # between two choices of tau rounds are affine only locally
    stateless = False

    def check_options(self) -> None:
        if self.settings["tau_0"] is not None:
            count_option(self, "tau_0")
        count_option(self, "period")
        number_option(self, "shrink", 0, 1)
        if self.settings["shrink"] == 0:
            raise BoundkitError("the option shrink of adacomm must be above 0.")

    def check_run(self, local_steps: Clients, clients: int) -> None:
        if self.settings["tau_0"] is None and np.ptp(local_steps) > 0:
            raise BoundkitError(
                "adacomm takes the same local steps for all clients, so local_steps must be one number, "
                "or the option tau_0 must be given."
            )

    def most_steps(self, local_steps: Clients) -> Clients:
        tau_0 = self.settings["tau_0"]
        return local_steps[:1] if tau_0 is None else np.full_like(local_steps[:1], tau_0)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "initial_excess": oracle.excess(x0), "tau": zeros(x0)}

    def plan(self, state: State, t: int, steps: Clients, oracle: ServerOracle) -> tuple[State, Clients]:
        tau_0, tau = int(steps.max()), to_float64(state["tau"])
        if t == 0:
            tau = np.full_like(tau, tau_0)
        elif t % self.settings["period"] == 0:
            ratio = _ratio(oracle.excess(state["x"]), state["initial_excess"])
            tau = decreasing_steps(ratio, tau_0, tau, self.settings["shrink"])
        taken = tau.astype(np.intp)[:, None] + np.zeros_like(steps)
        common = taken[0] if np.ptp(tau) == 0 else taken
        return {**state, "tau": as_like(tau, state["tau"])}, common

    def diagnostics(self, state: State) -> dict[str, AnyArray]:
        return {"local_steps": state["tau"]}


def _ratio(excess: AnyArray, first: AnyArray) -> Array:
    """(F(x) - F_inf)/(F(x_0) - F_inf), (R,); 0 where x_0 is optimal."""
    current, initial = np.maximum(to_float64(excess), 0), to_float64(first)
    return np.asarray(np.divide(current, initial, out=np.zeros_like(current), where=initial > 0))
