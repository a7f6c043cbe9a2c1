"""Control variates against client drift: SCAFFOLD, VRL-SGD and FedLin.

A vector of each client corrects its local gradients towards the gradient of F. In SCAFFOLD and VRL-SGD it is
initially 0; the participating clients of a round update theirs, the others keep them. FedLin renews it at the
start of each round:

SCAFFOLD   y <- y - eta (g_i(y) - c_i + c)
VRL-SGD    y <- y - eta (g_i(y) - D_i)
FedLin     y <- y - eta (g_i(y) - g_i(x) + sum_S w_j g_j(x))

from y = x, tau_i times. Then x <- x - eta_s sum_S w_i (x - y_i), w_i = p_i renormalised over S.
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
DIVISORS = ("own", "mean")


class Scaffold(Algorithm):
    """SCAFFOLD (Karimireddy, Kale, Mohri, Reddi, Stich, Suresh, arXiv 1910.06378, Algorithm 1).

    Client i has a control variate c_i, the server c = sum_i p_i c_i over all clients. Local steps take
    g_i(y) - c_i + c in place of g_i(y), and a participating client updates its control:

    variant I    c_i+ = g_i(x), one more gradient at the server's model
    variant II   c_i+ = c_i - c + (x - y_i)/(tau_i eta), the mean of its gradients over the local steps

    With all p_i equal the server's control changes by (|S|/m) mean_S (c_i+ - c_i), as in the paper. Where the
    step size varies inside a round, tau_i eta is the sum of the step sizes.

    ``variant``           II by default
    ``initial_controls``  zero by default; gradient: c_i = g_i(x_0) of all clients
    """

    name = "scaffold"
    reference = "arXiv 1910.06378, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"variant": "II", "initial_controls": "zero"}
    free_options = frozenset({"initial_controls"})  # the theorems have a symbol for their error
    stateless = False

    def check_options(self) -> None:
        choice_option(self, "variant", VARIANTS)
        choice_option(self, "initial_controls", INITIAL_CONTROLS)

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


class VRLSGD(Algorithm):
    """VRL-SGD (Liang, Shen, Liu, Pan, Chen, Cheng, arXiv 1912.12844, Algorithm 1).

    D_i <- D_i + (y_bar - y_i)/(divisor eta) for i in S, y_bar = sum_S w_i y_i, with the option ``divisor``:

    own    tau_i, the default: sum_i p_i tau_i D_i stays 0, so a fixed point is the optimum of
           sum_i p_i tau_i F_i
    mean   the plain mean of tau_i over S: sum_i p_i D_i stays 0, so a fixed point is the optimum of F; but
           clients with more steps than the mean over-correct, and the run may diverge at any eta

    The paper has full participation with tau steps of every client, so that the two are one, p_i = 1/m, and
    eta_s = 1. y_bar is the mean before eta_s acts, so that the sums above stay 0 at any eta_s.
    """

    name = "vrlsgd"
    reference = "arXiv 1912.12844, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"divisor": "own"}
    stateless = False

    def check_options(self) -> None:
        choice_option(self, "divisor", DIVISORS)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "D": zero_client_state(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": received_model(state, round), "correction": -round.gather(state["D"])}

    def message(self, state: State, local: Local, round: Round) -> Message:
        return {**super().message(state, local, round), "D": -local["correction"]}

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        deviations = received.updates - received.aggregate[:, None, :]
        span = round.step_size_sums[..., None]
        if self.settings["divisor"] == "mean":
            span = round.mean(span)[..., None, :]
        D = round.scatter(state["D"], received.sent["D"] + deviations / span)
        return {"x": averaged(state, received), "D": D}


class FedLin(Algorithm):
    """FedLin (Mitra, Jaafar, Pappas, Hassani, arXiv 2102.07053, Algorithm 1), without sparsification.

    The participating clients first send their gradients at x, g_i(x), and receive the mean. It is SCAFFOLD
    with controls that are renewed in every round, and MIME without momentum. The paper has full
    participation, full gradients, and local step sizes eta tau/tau_i: one eta where all take tau steps.
    """

    name = "fedlin"
    reference = "arXiv 2102.07053, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {}
    stateless = False  # a client's correction depends on who else participates

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        own = oracle.gradient(x)
        return {"y": x, "correction": round.average(own)[:, None, :] - own}
