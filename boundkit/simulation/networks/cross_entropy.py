"""Softmax cross entropy, log sum_c exp z_c - z_label, and its gradient, softmax z - label."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def cross_entropy(z: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """For scores (K, n, classes) and labels (K, n) or (1, n): (K, n)."""
    index = labels.expand(z.shape[:-1])[..., None]
    return z.logsumexp(-1) - z.gather(-1, index)[..., 0]


def score_gradient(z: torch.Tensor, labels: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """weights (softmax z - label), with weights (K, n): the gradient with respect to the scores."""
    delta = z.softmax(-1)
    index = labels.expand(z.shape[:-1])[..., None]
    delta.scatter_add_(-1, index, delta.new_full((1, 1, 1), -1.0).expand_as(index))
    return delta.mul_(weights[..., None])
