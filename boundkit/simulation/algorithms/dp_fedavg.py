"""DP-FedAvg (McMahan, Ramage, Talwar, Zhang, arXiv 1710.06963, Algorithm 1): clipped updates and
Gaussian noise.

y <- y - eta g from y = x, tau_i times; with D_i = x - y_i and N a standard normal vector,

x <- x - eta_s ((1/m) sum_S D_i min(1, clip/||D_i||) + (privacy_noise clip/m) N).

The denominator m is public and fixed: absent clients count as zero, so that one client changes the sum by
at most ``clip``. With all clients, T rounds are (epsilon, delta)-differentially private for adding or
removing one client, epsilon = T/(2 z^2) + sqrt(2 T log(1/delta))/z with z = privacy_noise (composition of
Renyi divergences, Mironov, arXiv 1702.07476). A round without participants adds its noise as well.

The paper samples each client with a probability q and divides by q m; here that factor belongs to eta_s.

``clip``           the largest norm of a sent update, a length above 0; 1 by default
``privacy_noise``  z, at least 0; 1 by default
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    Algorithm,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    WeightInputs,
    number_option,
)
from boundkit.simulation.arrays import AnyArray, Array, array_namespace


class DPFedAvg(Algorithm):
    """Local SGD steps, clipped updates, and a mean with noise."""

    name = "dp_fedavg"
    reference = "arXiv 1710.06963, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"clip": 1.0, "privacy_noise": 1.0}
    free_options = frozenset(options)  # symbols of the theorem
    affine = False
    stateless = False

    def check_options(self) -> None:
        for name in self.options:
            number_option(self, name, 0, float("inf"))
        if self.settings["clip"] == 0:
            raise BoundkitError(f"the option clip of {self.name} is a length and must be above 0.")

    @property
    def random(self) -> bool:
        return bool(self.settings["privacy_noise"] > 0)

    @property
    def noiseless(self) -> DPFedAvg:
        return DPFedAvg({**self.settings, "privacy_noise": 0.0})

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "excess": x0[:, :1] * 0}

    def message(self, state: State, local: Local, round: Round) -> Message:
        sent = super().message(state, local, round)
        u, xp, clip = sent["update"], array_namespace(local["y"]), self.settings["clip"]
        norm = xp.linalg.vector_norm(u, axis=-1, keepdims=True)
        longer = norm > clip
        excess = xp.where(longer, norm - clip, 0.0)
        return {"update": u * xp.where(longer, clip / xp.where(longer, norm, 1.0), 1.0), "excess": excess}

    def weights(self, inputs: WeightInputs) -> Array:
        return inputs.counts / inputs.m

    def weight_dependence(self, equal: bool) -> str:
        return "client"

    def server_step(self, state: State, received: Received) -> State:
        round = received.round
        x = state["x"] - round.eta_s * received.aggregate
        return {"x": self._noisy(x, round), "excess": round.mean(received.sent["excess"])}

    def empty_round(self, state: State, round: Round) -> State:
        return {"x": self._noisy(state["x"], round), "excess": state["excess"] * 0}

    def _noisy(self, x: AnyArray, round: Round) -> AnyArray:
        if round.draws is None or not self.random:
            return x
        scale = round.eta_s * self.settings["privacy_noise"] * self.settings["clip"] / round.m
        return x + scale * round.draws.normal(x.shape[-1])

    def diagnostics(self, state: State) -> dict[str, AnyArray]:
        """The mean over participants of the length by which their updates were clipped."""
        return {"clipped_excess": state["excess"][:, 0]}
