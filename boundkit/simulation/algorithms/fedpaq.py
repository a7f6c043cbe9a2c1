"""FedPAQ (Reisizadeh, Mokhtari, Hassani, Jadbabaie, Pedarsani, arXiv 1909.13014, Algorithm 1): FedAvg with
updates that are compressed at random.

y <- y - eta g from y = x, tau_i times; x <- x - eta_s sum_S w_i Q(x - y_i), w_i = 1/|S|. Q is drawn afresh by
every client in every round, with E Q(u) = u and E||Q(u) - u||^2 <= omega ||u||^2:

rand_k   k of the d coordinates, drawn uniformly, times d/k; the others are 0. omega = d/k - 1, attained
qsgd     ||u||/l times the whole number below or above l u_j/||u||, drawn so that its mean is that, for each
         coordinate (Alistarh et al., arXiv 1610.02132). omega = min(d/(4 l^2), sqrt(d)/l)

Rounding a number with fractional part f has the variance f (1 - f), at most 1/4 and at most the number, and
sum_j |u_j| <= sqrt(d) ||u||: hence the last omega. With the compressor none it is FedAvg, omega = 0.

``compressor``  one of those; qsgd by default
``keep``        k of rand_k, a whole number, at least 1; 1 by default. At least d: nothing is compressed
``levels``      l of qsgd, a whole number, at least 1; 1 by default
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.simulation.algorithms.base import (
    Algorithm,
    Message,
    Round,
    WeightInputs,
    choice_option,
    count_option,
)
from boundkit.simulation.arrays import Array, array_namespace

COMPRESSORS = ("qsgd", "rand_k", "none")


class FedPAQ(Algorithm):
    """Local SGD steps, and a mean of updates that are compressed without bias."""

    name = "fedpaq"
    reference = "arXiv 1909.13014, Algorithm 1"
    options: ClassVar[dict[str, Any]] = {"compressor": "qsgd", "keep": 1, "levels": 1}
    free_options = frozenset(options)  # the theorem has a symbol for the variance of the compressor

    def check_options(self) -> None:
        choice_option(self, "compressor", COMPRESSORS)
        count_option(self, "keep")
        count_option(self, "levels")

    @property
    def affine(self) -> bool:
        """Whether the first two moments of an iterate determine the next ones."""
        return bool(self.settings["compressor"] != "qsgd")

    @property
    def random(self) -> bool:
        return bool(self.settings["compressor"] != "none")

    @property
    def noiseless(self) -> FedPAQ:
        return FedPAQ({**self.settings, "compressor": "none"})

    def relative_variance(self, d: int) -> float:
        """omega, the largest variance of a compressed vector of d coordinates over its squared norm."""
        if self.settings["compressor"] == "none":
            return 0.0
        if self.settings["compressor"] == "rand_k":
            return d / min(int(self.settings["keep"]), d) - 1
        levels = int(self.settings["levels"])
        return float(min(d / (4 * levels**2), d**0.5 / levels))

    def transmitted(self, sent: Message, round: Round) -> Message:
        u, draws = sent["update"], round.draws
        if draws is None:
            return sent
        xp, d, uniform = array_namespace(u), u.shape[-1], draws.uniform_of_clients(u.shape[-1])
        if self.settings["compressor"] == "rand_k":
            keep = min(int(self.settings["keep"]), d)
            place = xp.argsort(xp.argsort(uniform, axis=-1, stable=True), axis=-1, stable=True)
            return {**sent, "update": xp.where(place < keep, d / keep * u, 0.0)}
        levels = int(self.settings["levels"])
        norm = xp.linalg.vector_norm(u, axis=-1, keepdims=True)
        number = xp.floor(levels * xp.abs(u) / xp.where(norm > 0, norm, 1.0) + uniform)
        return {**sent, "update": xp.sign(u) * norm * number / levels}

    def transmission_variance(self, d: int) -> tuple[float, float]:
        """Of rand_k: coordinates j and l are both sent with probability k (k - 1)/(d (d - 1))."""
        omega = self.relative_variance(d)
        together = -omega / (d - 1) if d > 1 else 0.0
        return omega - together, together

    def weights(self, inputs: WeightInputs) -> Array:
        return inputs.normalised(np.ones_like(inputs.p))

    def weight_dependence(self, equal: bool) -> str:
        return "count"
