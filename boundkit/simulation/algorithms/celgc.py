"""CELGC (Liu, Zhuang, Lei, Liao, arXiv 2205.05040, Algorithm 1): clients clip each of their own steps.

y <- y - min(eta, gamma/||g||) g from y = x, tau_i times; x <- x - eta_s (1/|S|) sum_S (x - y_i). Clipping
depends on each client's own stochastic gradient, so the mean step is biased for heterogeneous gradients.

``gamma``: the length of a clipped step; 5 eta by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundkit.simulation.algorithms.base import Local
from boundkit.simulation.algorithms.clipping import Clipped

if TYPE_CHECKING:
    import torch


class CELGC(Clipped):
    """Local SGD with clipped local steps."""

    name = "celgc"
    reference = "arXiv 2205.05040, Algorithm 1"

    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        return {**local, "y": local["y"] - self.step(gradient, self.exceeds(gradient, eta), eta)}
