"""FedProx (Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith, arXiv 1812.06127, Algorithm 2).

Client i approximately minimises h_i(y) = F_i(y) + mu/2 ||y - x||^2. By default with gradient steps:
v <- rho v + g, y <- y - eta (v + mu (y - x)) from y = x and v = 0, tau_i times; the proximal term stays
outside the momentum buffer. Then x <- x - eta_s sum_S w_i (x - y_i), with FedAvg's weights and server
momentum.

``mu``     proximal coefficient, at least 0; default 0, which is FedAvg (the paper tunes: 0.001, 0.01, 0.1, 1)
``exact``  true: y is the exact minimiser of h_i, in place of local steps; quadratics only, mu above 0
``gamma``  the paper's inexactness, with ``exact``: y has ||grad h_i(y)|| = gamma ||grad h_i(x)||,
           in [0, 1], default 0. On a quadratic, y* + gamma (x - y*) is such a point, and is used here.

``momentum``, ``aggregation``, ``probabilities``, ``server_momentum``: as in fedavg. The paper samples clients
by p_k with replacement and averages them plainly (participation with_replacement, aggregation mean); its
code takes epochs of SGD for the inexact solver.
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    ClientOracle,
    Local,
    Round,
    State,
    number_option,
    received_model,
    truth_option,
)
from boundkit.simulation.algorithms.fedavg import FedAvg
from boundkit.simulation.arrays import AnyArray, Clients


class FedProx(FedAvg):
    """Proximal local problems, by gradient steps or exactly."""

    name = "fedprox"
    reference = "arXiv 1812.06127, Algorithm 2"
    options: ClassVar[dict[str, Any]] = {"mu": 0.0, "exact": False, "gamma": 0.0, **FedAvg.options}
    free_options = frozenset({"mu", "exact", "gamma"})

    def check_options(self) -> None:
        super().check_options()
        number_option(self, "mu", 0, float("inf"))
        truth_option(self, "exact")
        number_option(self, "gamma", 0, 1, closed=True)
        if self.settings["exact"] and (self.settings["mu"] == 0 or self.settings["momentum"]):
            raise BoundkitError("the exact minimisers of fedprox need mu above 0, and take no momentum.")
        if self.settings["gamma"] and not self.settings["exact"]:
            raise BoundkitError(
                "gamma of fedprox is the inexactness of an exact minimiser: it needs exact = true."
            )

    def check_run(self, local_steps: Clients, clients: int) -> None:
        super().check_run(local_steps, clients)
        if self.settings["exact"] and (local_steps != 1).any():
            raise BoundkitError(
                "fedprox with exact = true takes no local steps, so local_steps must be 1, "
                f"but it is {local_steps.max()}."
            )

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        if self.settings["exact"]:
            minimiser = oracle.proximal(x, self.settings["mu"])
            return {"y": minimiser + self.settings["gamma"] * (x - minimiser)}
        local = {"y": x, "x": x}
        return {**local, "v": x * 0} if self.settings["momentum"] else local

    @property
    def step_coefficients(self) -> tuple[float, float]:
        return float(self.settings["momentum"]), float(self.settings["mu"])

    @property
    def linear_steps(self) -> bool:
        return type(self).local_step is FedProx.local_step and not self.settings["exact"]

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return local if self.settings["exact"] else super().local_step(local, gradient, eta)
