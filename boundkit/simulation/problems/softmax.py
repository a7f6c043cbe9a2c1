"""The mean cross entropy of softmax on one client's points, at many weights at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.problems.base import Array

if TYPE_CHECKING:
    import torch

_ENTRIES = 2**23
"""Most scores in memory: points times classes times weights."""


class Softmax:
    """Points Z, (n, k), with labels, (n,), of ``classes`` classes. Weights are (..., k classes)."""

    def __init__(self, Z: Array, labels: NDArray[np.intp], classes: int) -> None:
        self.Z, self.labels, self.classes = Z, labels, classes
        self._kept: dict[Any, torch.Tensor] = {}

    def losses(self, w: torch.Tensor) -> torch.Tensor:
        """The mean of log sum exp(scores) - score of the label, at weights (P, k classes): (P,)."""
        import torch

        label = torch.as_tensor(self.labels, device=w.device)

        def some(part: torch.Tensor) -> torch.Tensor:
            scores = self._scores(part)
            right = scores.gather(-1, label.expand(len(part), -1)[..., None])[..., 0]
            return (scores.logsumexp(-1) - right).mean(-1)

        return self._by_parts(w, some)

    def gradients(self, w: torch.Tensor) -> torch.Tensor:
        """Z' (softmax - label)/n, at weights (P, k classes), in their shape."""
        import torch

        label = torch.as_tensor(self.labels, device=w.device)
        Z = self._points(w)

        def some(part: torch.Tensor) -> torch.Tensor:
            apart = self._scores(part).softmax(-1)
            ones = torch.ones_like(label, dtype=w.dtype).expand(len(part), -1)[..., None]
            apart = apart.scatter_add(-1, label.expand(len(part), -1)[..., None], -ones)
            return (Z.T @ apart).reshape(len(part), -1) / len(Z)

        return self._by_parts(w, some)

    @cached_property
    def largest(self) -> float:
        """lambda_max(Z'Z/n), rounded upwards."""
        return float(np.linalg.eigvalsh(self.Z.T @ self.Z / len(self.Z))[-1]) * (1 + 1e-12)

    def _scores(self, w: torch.Tensor) -> torch.Tensor:
        return self._points(w) @ w.reshape(len(w), -1, self.classes)

    def _points(self, like: torch.Tensor) -> torch.Tensor:
        import torch

        key = (like.dtype, like.device)
        if key not in self._kept:
            self._kept[key] = torch.as_tensor(self.Z, dtype=like.dtype, device=like.device)
        return self._kept[key]

    def _by_parts(self, w: torch.Tensor, ask: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        import torch

        size = max(1, _ENTRIES // (len(self.Z) * self.classes))
        return torch.cat([ask(w[k : k + size]) for k in range(0, len(w), size)])
