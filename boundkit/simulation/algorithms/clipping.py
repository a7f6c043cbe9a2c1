"""Base of the clipping algorithms: steps of bounded length, and plain means over participating clients.

A gradient g is clipped where its norm, or that of another decisive vector, exceeds gamma/eta: the step is
then gamma g/||g|| in place of eta g. For a zero vector the step is zero; published code divides by
||g|| + 1e-10 instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import Algorithm, WeightInputs, number_option
from boundkit.simulation.arrays import Array

if TYPE_CHECKING:
    import torch

PUBLISHED_RATIO = 5.0
"""gamma/eta in the synthetic experiments of the code published with EPISODE, and the default."""


class Clipped(Algorithm):
    """Clients that send x - y, with equal weights.

    ``gamma``: the length of a clipped step, above 0; 5 eta where it is not given.
    """

    options: ClassVar[dict[str, Any]] = {"gamma": None}
    free_options = frozenset({"gamma"})  # a symbol of the theorems; the algorithm stays the same

    def check_options(self) -> None:
        if self.settings["gamma"] is None:
            return
        number_option(self, "gamma", 0, np.inf)
        if self.settings["gamma"] == 0:
            raise BoundkitError(f"the option gamma of {self.name} is a length and must be above 0.")

    @property
    def affine(self) -> bool:
        return False  # without clipping it is affine, but only locally

    @property
    def stateless(self) -> bool:
        return False

    def gamma(self, eta: float) -> float:
        """The length of a clipped step."""
        given = self.settings["gamma"]
        return PUBLISHED_RATIO * eta if given is None else float(given)

    def exceeds(self, g: torch.Tensor, eta: float) -> torch.Tensor:
        """Whether the norm of g, (..., d), exceeds gamma/eta: (...)."""
        import torch

        norm: torch.Tensor = torch.linalg.vector_norm(g, dim=-1)
        return norm > self.gamma(eta) / eta

    def step(self, g: torch.Tensor, clip: torch.Tensor, eta: float) -> torch.Tensor:
        """gamma g/||g|| where ``clip``, (...), is true, else eta g."""
        import torch

        length = torch.linalg.vector_norm(g, dim=-1, keepdim=True).clamp(min=torch.finfo(g.dtype).tiny)
        return torch.where(clip[..., None], self.gamma(eta) / length, eta) * g

    def weights(self, inputs: WeightInputs) -> Array:
        return inputs.normalised(np.ones_like(inputs.p))

    def weight_dependence(self, equal: bool) -> str:
        return "count"
