"""EPISODE (Crawshaw, Bao, Liu, arXiv 2302.07155, Algorithm 1): clip all steps of a round, or none.

Participating clients send new stochastic gradients G_i at x, and G = (1/|S|) sum_S G_i. Then, tau_i times
from y = x, with g' = g - G_i + G:

    y <- y - eta g'            where ||G|| <= gamma/eta,
    y <- y - gamma g'/||g'||   elsewhere.

x <- x - eta_s (1/|S|) sum_S (x - y_i). The paper has full participation; here S takes its place.

``gamma``: the length of a clipped step; 5 eta by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundkit.simulation.algorithms.base import (
    ClientOracle,
    Local,
    Round,
    State,
    received_model,
)
from boundkit.simulation.algorithms.clipping import Clipped

if TYPE_CHECKING:
    import torch


class Episode(Clipped):
    """Corrections resampled in every round; their mean decides whether all clients clip or none."""

    name = "episode"
    reference = "arXiv 2302.07155, Algorithm 1"

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        G_i = oracle.gradient(x)
        return self.corrected(x, G_i, round.mean(G_i), round)

    def corrected(self, x: torch.Tensor, G_i: torch.Tensor, G: torch.Tensor, round: Round) -> Local:
        """The local state at x with the correction G - G_i; G, (R, d), decides for the round."""
        R, n, _ = x.shape
        clip = self.exceeds(G, round.eta)[:, None].expand(R, n)
        return {"y": x, "correction": (G[:, None, :] - G_i).expand_as(x), "clip": clip}

    def local_step(self, local: Local, gradient: torch.Tensor, eta: float) -> Local:
        g = gradient + local["correction"]
        return {**local, "y": local["y"] - self.step(g, local["clip"], eta)}
