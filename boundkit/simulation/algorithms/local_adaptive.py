"""Local adaptive solvers, corrected (Wang, Xu, Garrett, Charles, Liu, Joshi, arXiv 2106.02305, Algorithm 1).

All operations are coordinate-wise, the solver's state is 0 at the start of each round:
u <- beta1 u + (1 - beta1) g;  v by the solver's rule;  y <- y - eta P u with P = 1/(sqrt v + epsilon);
a <- beta1 a + (1 - beta1) P, and A_i the sum of a over the round. With D_i = x - y_i, w_i = p_i / sum_S p_j:

none    x <- x - eta_s sum_S w_i D_i                           fixed points with grad F != 0, at any eta
local   x <- x - eta_s sum_S w_i D_i/A_i                       fixed points at grad F = 0 up to a bias that
joint   x <- x - eta_s (sum_S w_i D_i/A_i) / (sum_S w_i/A_i)   vanishes with eta; joint has an update's scale

``solver``            sgd: P = 1;  adagrad: v + g^2;  adam (default): beta2 v + (1 - beta2) g^2;
                      yogi: v - (1 - beta2) sign(v - g^2) g^2
``correction``        joint (default), local, none
``beta1``             null: 0.9 for adam and yogi, 0 for sgd and adagrad
``beta2``, ``epsilon``  0.99 and 0.001

v is used after its update, and without bias correction. The published code's SGD has (1 - beta1) in a but not
in u: its u is 1/(1 - beta1) times as long. Where step sizes vary inside a round, A_i is in units of the
first step size. A_i is the published code's; it counts gradients exactly only where beta1 = 0 or P is
constant over the steps, so that Adam and Yogi with momentum keep some bias at any eta.
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
    State,
    averaged,
    choice_option,
    number_option,
    received_model,
)
from boundkit.simulation.arrays import AnyArray, array_namespace

SOLVERS = {"sgd": 0.0, "adagrad": 0.0, "adam": 0.9, "yogi": 0.9}
"""Default beta1 of each solver."""
CORRECTIONS = ("none", "local", "joint")


class LocalAdaptive(Algorithm):
    """Adaptive local steps; the server divides by the accumulated preconditioner of each coordinate."""

    name = "local_adaptive"
    reference = "arXiv 2106.02305, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {
        "solver": "adam",
        "correction": "joint",
        "beta1": None,
        "beta2": 0.99,
        "epsilon": 1e-3,
    }
    rotation_equivariant = False
    stateless = False

    def check_options(self) -> None:
        choice_option(self, "solver", SOLVERS)
        choice_option(self, "correction", CORRECTIONS)
        if self.settings["beta1"] is not None:
            number_option(self, "beta1", 0, 1)
        number_option(self, "beta2", 0, 1)
        number_option(self, "epsilon", 0, float("inf"))
        if self.settings["epsilon"] == 0:
            raise BoundkitError(
                "epsilon of local_adaptive must be above 0: a gradient of 0 is divided by it."
            )

    @property
    def affine(self) -> bool:
        return bool(self.settings["solver"] == "sgd")  # P and A_i then do not depend on gradients

    @property
    def beta1(self) -> float:
        """The decay rate of the solver's first moment."""
        given = self.settings["beta1"]
        return SOLVERS[self.settings["solver"]] if given is None else float(given)

    def changed_options(self) -> list[str]:
        return ["correction = 'none'"] if self.settings["correction"] == "none" else []

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        return {"y": x, **dict.fromkeys("uvaA", x * 0)}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        xp, beta1, epsilon = array_namespace(gradient), self.beta1, self.settings["epsilon"]
        u, v = beta1 * local["u"] + (1 - beta1) * gradient, self._second(local["v"], gradient**2)
        P = v * 0 + 1 if self.settings["solver"] == "sgd" else 1 / (xp.sqrt(v) + epsilon)
        a = beta1 * local["a"] + (1 - beta1) * P
        return {"y": local["y"] - eta * P * u, "u": u, "v": v, "a": a, "A": local["A"] + eta * a}

    def _second(self, v: AnyArray, squared: AnyArray) -> AnyArray:
        solver, beta2 = self.settings["solver"], self.settings["beta2"]
        if solver == "adagrad":
            return v + squared
        if solver == "adam":
            return beta2 * v + (1 - beta2) * squared
        sign = array_namespace(v).sign
        return v - (1 - beta2) * sign(v - squared) * squared if solver == "yogi" else v

    def message(self, state: State, local: Local, round: Round) -> Message:
        return {**super().message(state, local, round), "preconditioner": local["A"] / round.eta}

    def server_step(self, state: State, received: Received) -> State:
        correction, round, xp = self.settings["correction"], received.round, array_namespace(state["x"])
        if correction == "none":
            return {**state, "x": averaged(state, received)}
        inverse = round.weights[..., None] / received.sent["preconditioner"]
        u = xp.sum(inverse * received.updates, axis=-2)
        if correction == "joint":
            scale = xp.sum(inverse, axis=-2)
            u = u / xp.where(scale != 0, scale, 1.0)  # 0: all participants have weight 0
        return {**state, "x": state["x"] - round.eta_s * u}
