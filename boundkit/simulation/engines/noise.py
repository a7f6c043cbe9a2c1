"""Gradient noise sigma/sqrt(d) N(0, I) per gradient, drawn in blocks that do not change the numbers.

Bounded noise is computed from the same normals: z sigma r/||z|| with r = P(||Z|| <= ||z||)^(1/d), which is
uniform in the ball of radius sigma.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch

_BYTES = 2**20


class Drawn(Protocol):
    """The stochastic gradients of a round."""

    def gradient(self, exact: Callable[[torch.Tensor], torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        """The next stochastic gradient at y, (R, n, d), given the exact one as a function."""

    def spend(self) -> None:
        """Draw the rest and discard it."""


class Noise:
    """The noise of one round, for ``steps`` gradients of ``columns`` clients, of which ``kept`` are used.

    The draws of a replica must not depend on participation in the other replicas of its chunk: so as many
    gradients and columns are drawn as any replica may need. ``draw(steps, columns, d)`` gives normals.
    """

    def __init__(
        self,
        draw: Callable[[int, int, int], torch.Tensor],
        scale: float,
        shape: tuple[int, int, int],
        bytes_a_step: int,
        kept: int | None = None,
    ) -> None:
        self.draw, self.scale, self.kept = draw, scale, kept
        self.left, self.columns, self.d = shape
        self.size = max(1, _BYTES // max(bytes_a_step, 1))
        self.block: torch.Tensor | None = None
        self.at = 0

    def gradient(self, exact: Callable[[torch.Tensor], torch.Tensor], y: torch.Tensor) -> torch.Tensor:
        """The exact gradient and its noise."""
        return exact(y) + self.next()

    def next(self) -> torch.Tensor:
        """The noise of the next gradient, (R, kept, d); beyond the announced gradients, one more is drawn."""
        if self.block is None or self.at == self.block.shape[1]:
            steps = max(1, min(self.size, self.left))
            self.block, self.at = self.draw(steps, self.columns, self.d), 0
            self.block = self.scaled(self.block)
            self.left -= steps
        self.at += 1
        noise = self.block[:, self.at - 1]
        return noise if self.kept is None else noise[:, : self.kept]

    def scaled(self, normals: torch.Tensor) -> torch.Tensor:
        """The noise computed from these normals, (R, steps, columns, d)."""
        return normals.mul_(self.scale)

    def spend(self) -> None:
        """Draw the rest and discard it."""
        while self.left > 0:
            steps = min(self.size, self.left)
            self.draw(steps, self.columns, self.d)
            self.left -= steps


class BallNoise(Noise):
    """Uniform noise in the ball of radius ``scale``."""

    def scaled(self, normals: torch.Tensor) -> torch.Tensor:
        """z scale r/||z||, with ||Z||^2 chi-squared of d degrees of freedom."""
        import torch

        squared = (normals**2).sum(-1, keepdim=True)
        half = torch.full_like(squared, self.d / 2)
        inside = torch.special.gammainc(half, squared / 2) ** (1 / self.d)
        tiny = torch.finfo(normals.dtype).tiny
        noise: torch.Tensor = normals * (self.scale * inside / squared.sqrt().clamp(min=tiny))
        return noise
