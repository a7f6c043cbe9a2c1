"""Outer optimisers with an inner optimiser of each client: DiLoCo, SlowMo; momentum inside the local steps.

The pseudo-gradient of a round is u = sum_S w_i (x - y_i), w_i = p_i / sum_S p_j. The inner optimiser of
DiLoCo and SlowMo is SGD with momentum, or AdamW, and its buffers may survive the round:

``inner``      sgd: v <- momentum v + g, y <- y - eta v;  adamw: y <- (1 - eta weight_decay) y, then the
               step of Adam with bias correction
``buffers``    persistent: every client keeps its own (default);  reset: zero at the start of each round;
               averaged: their mean over the participating clients is where all start the next round
``momentum``   of sgd;  ``beta1``, ``beta2``, ``epsilon``, ``weight_decay``  of adamw

A client without participation keeps its buffers. Steps of Adam are counted for each client, and by ``reset``
from 0 in each round.
"""

from __future__ import annotations

from typing import Any, ClassVar

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
    choice_option,
    copies,
    number_option,
    received_model,
    truth_option,
    zero_client_state,
    zeros,
)
from boundkit.simulation.algorithms.fedavg import momentum_step
from boundkit.simulation.arrays import AnyArray, array_namespace

INNER = {"sgd": ("v",), "adamw": ("v", "s")}
"""The buffers of each inner optimiser."""
BUFFERS = ("persistent", "reset", "averaged")
ADAMW = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01}
"""The defaults of torch.optim.AdamW."""


class InnerOptimiser(Algorithm):
    """Local steps by an optimiser whose buffers may survive the round."""

    rotation_equivariant = False  # AdamW is a coordinate-wise rule

    def check_options(self) -> None:
        choice_option(self, "inner", INNER)
        choice_option(self, "buffers", BUFFERS)
        for name in ("momentum", "beta1", "beta2"):
            number_option(self, name, 0, 1)
        for name in ("epsilon", "weight_decay"):
            number_option(self, name, 0, float("inf"))

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of the inner optimiser's buffers; none for SGD without momentum."""
        sgd = self.settings["inner"] == "sgd"
        return () if sgd and not self.settings["momentum"] else INNER[self.settings["inner"]]

    @property
    def affine(self) -> bool:
        return bool(self.settings["inner"] == "sgd")

    @property
    def linear_steps(self) -> bool:
        return self.affine

    @property
    def step_coefficients(self) -> tuple[float, float]:
        return float(self.settings["momentum"]), 0.0

    @property
    def resets(self) -> bool:
        """Whether no buffer survives a round."""
        return self.settings["buffers"] == "reset" or not self.buffers

    @property
    def averages(self) -> bool:
        """Whether all clients start a round with the same buffers."""
        return bool(self.settings["buffers"] == "averaged")

    @property
    def stateless(self) -> bool:
        return self.resets

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        state: State = {"x": x0}
        if self.resets:
            return state
        for name in self.buffers:
            state[name] = x0 * 0 if self.averages else zero_client_state(x0, oracle.m)
        return state if self.affine else {**state, "steps": zeros(x0, oracle.m)}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        y = received_model(state, round)
        n, local = y.shape[1], {"y": y}
        for name in self.buffers:
            if self.resets:
                local[name] = y * 0
            else:
                local[name] = copies(state[name], n) if self.averages else round.gather(state[name])
        if not self.affine:
            local["steps"] = y[..., :1] * 0 if self.resets else round.gather(state["steps"])[..., None]
        return local

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        if self.affine:
            return super().local_step(local, gradient, eta)
        xp, (beta1, beta2, epsilon, decay) = array_namespace(gradient), (self.settings[n] for n in ADAMW)
        steps = local["steps"] + 1
        v = beta1 * local["v"] + (1 - beta1) * gradient
        s = beta2 * local["s"] + (1 - beta2) * gradient**2
        length = xp.sqrt(s / (1 - beta2**steps)) + epsilon
        step = v / (1 - beta1**steps) / xp.where(length > 0, length, 1.0)
        return {"y": local["y"] * (1 - eta * decay) - eta * step, "v": v, "s": s, "steps": steps}

    def message(self, state: State, local: Local, round: Round) -> Message:
        buffers = {} if self.resets else {n: v for n, v in local.items() if n != "y"}
        return {**super().message(state, local, round), **buffers}

    def after_inner(self, state: State, received: Received) -> State:
        """The state with the buffers that the participating clients end the round with."""
        sent, round, after = received.sent, received.round, dict(state)
        if self.resets:
            return after
        for name in self.buffers:
            average = self.averages
            after[name] = round.mean(sent[name]) if average else round.scatter(state[name], sent[name])
        if not self.affine:
            after["steps"] = round.scatter(state["steps"], sent["steps"][..., 0])
        return after


class DiLoCo(InnerOptimiser):
    """DiLoCo (Douillard et al., arXiv 2311.08105, Algorithm 1): an outer optimiser on averaged inner updates.

    b <- server_momentum b + u,   x <- x - eta_s (n u + (1 - n (1 - server_momentum)) b),   n = nesterov.

    The paper has AdamW inside and Nesterov's method outside; public code takes eta_s = 0.7 with a momentum of
    0.9. ``late``: true: the outer step of a round is taken with the u of the round before, as where its
    exchange overlaps with a whole round.
    """

    name = "diloco"
    reference = "arXiv 2311.08105, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {
        "server_momentum": 0.9,
        "nesterov": 1.0,
        "late": False,
        "inner": "adamw",
        "buffers": "persistent",
        "momentum": 0.0,
        **ADAMW,
    }

    def check_options(self) -> None:
        super().check_options()
        number_option(self, "server_momentum", 0, 1)
        number_option(self, "nesterov", 0, 1, closed=True)
        truth_option(self, "late")

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        late = {"late": x0 * 0} if self.settings["late"] else {}
        return {**super().start(x0, oracle), "b": x0 * 0, **late}

    def server_step(self, state: State, received: Received) -> State:
        after, u = self.after_inner(state, received), received.aggregate
        if self.settings["late"]:
            after["late"], u = u, state["late"]
        beta, nesterov = self.settings["server_momentum"], self.settings["nesterov"]
        step, b = momentum_step(state["b"], u, beta, nesterov)
        return {**after, "x": state["x"] - received.round.eta_s * step, "b": b}


class SlowMo(InnerOptimiser):
    """SlowMo (Wang, Tantia, Ballas, Rabbat, arXiv 1910.00643, Algorithm 1), with an exact average.

    b <- server_momentum b + u/eta,   x <- x - eta_s eta b,   eta the first step size of the round.

    The buffer is in units of gradients: where eta is constant this is heavy ball on u; where eta decreases,
    past pseudo-gradients are scaled down with it. torchdistx.slowmo has momentum 0.5 by default and leaves
    the buffers of the inner optimiser as they are.
    """

    name = "slowmo"
    reference = "arXiv 1910.00643, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {
        "server_momentum": 0.5,
        "inner": "sgd",
        "buffers": "persistent",
        "momentum": 0.0,
        **ADAMW,
    }

    def check_options(self) -> None:
        super().check_options()
        number_option(self, "server_momentum", 0, 1)

    @property
    def stateless(self) -> bool:
        return False  # the server's step depends on the step size of the round

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {**super().start(x0, oracle), "b": x0 * 0}

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        b = self.settings["server_momentum"] * state["b"] + received.aggregate / round.eta
        return {
            **self.after_inner(state, received),
            "x": state["x"] - round.eta_s * round.eta * b,
            "b": b,
        }


class AcceleratedLocalSGD(Algorithm):
    """Local SGD with Nesterov's method outside, observed at the mean of the local models.

    y_{t+1} = x_t - eta_s u_t,   x_{t+1} = y_{t+1} + beta_t (y_{t+1} - y_t),   y_0 = x_0,

    with beta_t the number ``server_momentum``, or t/(t + 3) where it is null, as by default. With eta_s = 1,
    y_{t+1} is the mean of the local models of round t: this is the accelerated proximal point method (Gueler,
    1992, recalled) with tau local steps in place of a proximal step of length eta tau. y is observed as
    ``mean_model_``. A constant momentum is that of ``fedavgm`` with nesterov = 1; where beta_t changes, a
    buffer would need two momenta a round.
    """

    name = "accelerated_local_sgd"
    reference = "SIAM J. Optim. 2, 649"
    options: ClassVar[dict[str, Any]] = {"server_momentum": None}
    free_options = frozenset(options)
    counters = frozenset({"t"})
    stateless = False  # y is observed

    def check_options(self) -> None:
        if self.settings["server_momentum"] is not None:
            number_option(self, "server_momentum", 0, 1)

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        counter = {"t": x0[:, 0] * 0} if self.settings["server_momentum"] is None else {}
        return {"x": x0, "y": x0, **counter}

    def server_step(self, state: State, received: Received) -> State:
        y, beta, after = averaged(state, received), self.settings["server_momentum"], dict(state)
        if beta is None:
            t = state["t"][:, None]
            beta, after["t"] = t / (t + 3), state["t"] + 1
        return {**after, "x": y + beta * (y - state["y"]), "y": y}

    def models(self, state: State) -> dict[str, AnyArray]:
        return {"mean_model": state["y"]}


class FedCM(Algorithm):
    """Momentum in the local steps: FedCM (arXiv 2106.10874), FedAvg-M (Cheng et al., arXiv 2306.16504).

    y <- y - eta (fresh g + (1 - fresh) G) from y = x, with the server's G, 0 initially;
    G <- sum_S w_i (x - y_i)/(tau_i eta),   x <- x - eta_s sum_S w_i (x - y_i).

    Both papers are recalled. Their server steps have other units; with equal step counts eta_s = 1 takes the
    mean of the local models. The fixed points are those of FedAvg with the step size ``fresh`` eta.
    """

    name = "fedcm"
    reference = "arXiv 2106.10874"
    options: ClassVar[dict[str, Any]] = {"fresh": 0.1}
    free_options = frozenset(options)
    stateless = False  # a client's message is more than its update

    def check_options(self) -> None:
        number_option(self, "fresh", 0, 1, closed=True)
        if not self.settings["fresh"]:
            raise BoundkitError("fresh of fedcm must be above 0: without new gradients no model changes.")

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "G": x0 * 0}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        return {"y": received_model(state, round), "G": copies(state["G"], round.clients.shape[-1])}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        fresh = self.settings["fresh"]
        return {**local, "y": local["y"] - eta * (fresh * gradient + (1 - fresh) * local["G"])}

    def server_step(self, state: State, received: Received) -> State:
        xp, round = array_namespace(state["x"]), received.round
        w = round.weights / round.step_size_sums
        G = xp.sum(w[..., None] * received.updates, axis=-2)
        return {"x": averaged(state, received), "G": G}
