"""Synchronous minibatch SGD: FedAvg with one local step, x <- x - eta_s eta sum p_i g_i(x).

Clients communicate after every gradient (Bottou, Curtis, Nocedal, arXiv 1606.04838, Algorithm 4.1 with a
minibatch over clients).
"""

from __future__ import annotations

from typing import Any, ClassVar

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.fedavg import FedAvg
from boundkit.simulation.arrays import Clients


class MinibatchSGD(FedAvg):
    """One gradient a client and round; local_steps must be 1."""

    name = "minibatch_sgd"
    reference = "arXiv 1606.04838, Algorithm 4.1"
    options: ClassVar[dict[str, Any]] = {
        "aggregation": "weighted",
        "probabilities": None,
        "server_momentum": 0.0,
    }

    def check_run(self, local_steps: Clients, clients: int) -> None:
        super().check_run(local_steps, clients)
        if (local_steps != 1).any():
            raise BoundkitError(
                "minibatch_sgd averages after every gradient, so local_steps must be 1, "
                f"but it is {local_steps.max()}; for more, use fedavg."
            )
