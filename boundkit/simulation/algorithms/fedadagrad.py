"""FedAdagrad (Reddi, Charles, Zaheer, Garrett, Rush, Konecny, Kumar, McMahan, arXiv 2003.00295, Algorithm 2).

Clients as in FedAvg, D = sum_S p_i (x - y_i) / sum_S p_j. Then, coordinate by coordinate,
u <- beta1 u + (1 - beta1) D, v <- v + D^2, x <- x - eta_s u/(sqrt v + adaptivity), from u = 0 and
v = adaptivity^2 (the paper requires at least that). eta_s is the paper's server rate, and a length.

``adaptivity``  the paper's tau, a length above 0; default 0.001
``beta1``       server momentum, default 0

The paper's D has the opposite sign and averages uniformly, which is p_i = 1/m; its experiments weigh by
examples. Neither buffer changes in an empty round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from boundkit.simulation.algorithms.adaptive_server import AdaptiveServer

if TYPE_CHECKING:
    import torch


class FedAdagrad(AdaptiveServer):
    """The server runs AdaGrad on the mean update."""

    name = "fedadagrad"
    reference = "arXiv 2003.00295, Algorithm 2"
    options: ClassVar[dict[str, Any]] = {"adaptivity": 1e-3, "beta1": 0.0}

    def second(self, v: torch.Tensor, squared: torch.Tensor) -> torch.Tensor:
        return v + squared
