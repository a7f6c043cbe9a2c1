"""SCAFFOLD (Karimireddy, Kale, Mohri, Reddi, Stich, Suresh, arXiv 1910.06378, Algorithm 1).

Client i stores a control variate c_i, the server c = sum_i p_i c_i over all clients, c_i = 0 initially. A
participating client takes y <- y - eta (g_i(y) - c_i + c) from y = x, tau_i times, and updates its control:

variant I    c_i+ = g_i(x), one more gradient at the server's model
variant II   c_i+ = c_i - c + (x - y_i)/(tau_i eta), the mean of its gradients over the local steps

x <- x - eta_s sum_S w_i (x - y_i), w_i = p_i renormalised over S; absent clients keep c_i. With all p_i equal
the server's control changes by (|S|/m) mean_S (c_i+ - c_i), as in the paper. Where the step size varies
inside a round, tau_i eta is the sum of the step sizes. ``initial_controls`` gradient: c_i = g_i(x_0) of all
clients.
"""

from __future__ import annotations

from typing import Any, ClassVar

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
    choice_option,
    copies,
    received_model,
    server_control,
    zero_client_state,
)
from boundkit.simulation.arrays import AnyArray, Clients

VARIANTS = ("I", "II")
INITIAL_CONTROLS = ("zero", "gradient")


class Scaffold(Algorithm):
    """SCAFFOLD in both variants; ``variant`` II and ``initial_controls`` zero by default."""

    name = "scaffold"
    reference = "arXiv 1910.06378, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"variant": "II", "initial_controls": "zero"}
    free_options = frozenset({"initial_controls"})  # the theorems have a symbol for their error

    def check_options(self) -> None:
        choice_option(self, "variant", VARIANTS)
        choice_option(self, "initial_controls", INITIAL_CONTROLS)

    @property
    def stateless(self) -> bool:
        return False

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        if self.settings["initial_controls"] == "zero":
            return {"x": x0, "controls": zero_client_state(x0, oracle.m)}
        return {"x": x0, "controls": oracle.gradients(copies(x0, oracle.m))}

    def plan(self, state: State, t: int, steps: Clients, oracle: ServerOracle) -> tuple[State, Clients]:
        return {**state, "control": server_control(state["controls"], oracle.p)}, steps

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        y = received_model(state, round)
        correction = state["control"][:, None, :] - round.gather(state["controls"])
        if self.settings["variant"] == "II":
            return {"y": y, "correction": correction}
        return {"y": y, "correction": correction, "renewed": oracle.gradient(y)}

    def message(self, state: State, local: Local, round: Round) -> Message:
        sent = super().message(state, local, round)
        if "renewed" in local:
            return {**sent, "control": local["renewed"]}
        mean = sent["update"] / round.step_size_sums[..., None]
        return {**sent, "control": mean - local["correction"]}

    def server_step(self, state: State, received: Received) -> State:
        controls = received.round.scatter(state["controls"], received.sent["control"])
        return {"x": averaged(state, received), "controls": controls}

    def empty_round(self, state: State, round: Round) -> State:
        return {"x": state["x"], "controls": state["controls"]}
