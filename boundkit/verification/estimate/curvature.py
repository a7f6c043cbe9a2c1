r"""The largest |eigenvalue| of every client's Hessian at one point, by Hessian-vector products.

Products H_i v_i of all clients come from one graph: the gradient is differentiated once more against v. With
v of length 1, a = ||H v|| never falls from one product to the next, and never exceeds ||H||. The square of
some eigenvalue lies within a ||H u - a v|| of a^2, u = Hv/a, which is the residual of the stopping rule; it
bounds the distance to an eigenvalue, which need not be the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.arrays import Array, required_torch
from boundkit.simulation.problems import Network, Problem

if TYPE_CHECKING:
    import torch

Indices = NDArray[np.intp]
_POINTS = 4096
_NUMBERS = 2**24
"""Largest numbers of points, with padding, and of weights of all clients in one graph."""
_FIRST, _NEXT, _MOST, _CLOSE = 8, 3, 200, 1e-3
_TINY = 1e-300
_KEPT = 8
"""Number of clients with the largest curvature after the first products that are iterated to convergence."""


@dataclass(frozen=True)
class Norms:
    """Lower bounds of ||H_i||, (m,), the upper ends of the residuals' intervals, and the directions.

    ``vectors``: (m, d), initial directions for the next point.
    """

    low: Array
    high: Array
    vectors: torch.Tensor

    @property
    def largest(self) -> tuple[float, float]:
        """The ends of the client with the largest curvature."""
        i = int(np.argmax(self.low))
        return float(self.low[i]), float(self.high[i])


def blocks_of(problem: Problem, clients: Indices) -> list[Indices]:
    """Positions in ``clients``, in blocks that one graph holds."""
    most = max(1, _NUMBERS // problem.d)
    blocks = (
        list(problem.federation.blocks(clients, _POINTS))
        if isinstance(problem, Network)
        else [np.arange(len(clients))]
    )
    return [block[at : at + most] for block in blocks for at in range(0, len(block), most)]


def product(problem: Problem, clients: Indices, w: Array) -> Callable[[torch.Tensor], torch.Tensor]:
    """The map from V, (n, d), to H_i V_i of ``clients``, (n,), at w, (d,), by one graph."""
    import torch

    leaf = torch.as_tensor(w, dtype=torch.float64).expand(len(clients), problem.d).clone()
    leaf.requires_grad_(True)
    with torch.enable_grad():
        if isinstance(problem, Network):
            index, share = problem.federation.padded(clients)
            X, labels = problem.federation.tensors(leaf)
            at = torch.as_tensor(index)
            each = problem.architecture.point_losses(leaf, X[at], labels[at])
            (gradient,) = torch.autograd.grad((torch.as_tensor(share) * each).sum(), leaf, create_graph=True)
            pull = problem.l2
        else:
            gradient, pull = problem.gradients(clients, leaf[None])(leaf[None])[0], 0.0

    return lambda V: pull * V + _hessian_product(gradient, leaf, V)


def mean_product(problem: Problem, w: Array) -> Callable[[torch.Tensor], torch.Tensor]:
    """The map from V, (1, d), to sum p_i H_i V at w, (d,); a network's points share one w."""
    import torch

    if not isinstance(problem, Network):
        own = product(problem, np.arange(problem.m), w)
        p = torch.as_tensor(problem.p)[None]
        return lambda V: p @ own(V.expand(problem.m, -1).contiguous())
    federation = problem.federation
    leaf = torch.as_tensor(w, dtype=torch.float64)[None].clone().requires_grad_(True)
    X, labels = federation.tensors(leaf)
    share = torch.as_tensor((problem.p / federation.sizes)[federation.owner])
    slopes: list[torch.Tensor] = []
    with torch.enable_grad():
        for at in range(0, len(X), _POINTS):
            some = slice(at, at + _POINTS)
            loss = problem.architecture.point_losses(leaf, X[some][None], labels[some][None])
            slopes += torch.autograd.grad((share[some] * loss).sum(), leaf, create_graph=True)

    def times(V: torch.Tensor) -> torch.Tensor:
        return torch.stack(
            [problem.l2 * V, *(_hessian_product(gradient, leaf, V) for gradient in slopes)]
        ).sum(0)

    return times


def _hessian_product(gradient: torch.Tensor, leaf: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    """H V from the graph of a gradient; 0 where it does not depend on the weights."""
    import torch

    if not gradient.requires_grad:
        return torch.zeros_like(V)
    (result,) = torch.autograd.grad(gradient, leaf, V, retain_graph=True, allow_unused=True)
    return torch.zeros_like(V) if result is None else result


def client_norms(problem: Problem, w: Array, start: torch.Tensor | None = None, seed: int = 0) -> Norms:
    """||H_i(w)|| of every client: a few products of all, then many of those with the largest curvature."""
    torch = required_torch("the estimate of Hessian norms")
    generator = torch.Generator().manual_seed(seed)
    shape = (problem.m, problem.d)
    V = torch.randn(shape, generator=generator, dtype=torch.float64) if start is None else start.clone()
    low, high = np.zeros(problem.m), np.zeros(problem.m)
    clients, most = np.arange(problem.m), _FIRST if start is None else _NEXT
    for some in blocks_of(problem, clients):
        low[some], high[some], V[some] = _powers(product(problem, some, w), V[some], most)
    top = np.argsort(-low)[:_KEPT]
    for part in blocks_of(problem, top):
        some = top[part]
        low[some], high[some], V[some] = _powers(product(problem, some, w), V[some], _MOST)
    return Norms(low, high, V)


def mean_norm(
    problem: Problem, w: Array, start: torch.Tensor | None = None, seed: int = 0
) -> tuple[float, float, torch.Tensor]:
    """||sum p_i H_i(w)||, from below, the other end of the residual's interval, and the direction (1, d)."""
    torch = required_torch("the estimate of Hessian norms")
    times = mean_product(problem, w)
    generator = torch.Generator().manual_seed(seed)
    V = torch.randn((1, problem.d), generator=generator, dtype=torch.float64) if start is None else start
    low, high, V = _powers(times, V, _MOST)
    return float(low[0]), float(high[0]), V


def _powers(
    times: Callable[[torch.Tensor], torch.Tensor], V: torch.Tensor, most: int
) -> tuple[Array, Array, torch.Tensor]:
    """||H v|| of each row, the other end of its interval, and the last rows, of length 1."""
    import torch

    V = V / V.norm(dim=-1, keepdim=True).clamp_min(_TINY)
    W = times(V)
    a = high = W.norm(dim=-1)
    for _ in range(most):
        U = W / a.clamp_min(_TINY)[:, None]
        following = times(U)
        residual = (following - a[:, None] * V).norm(dim=-1)
        converged = bool((residual <= _CLOSE * a).all())
        high = (a * a + a * residual).sqrt()
        V, W, a = U, following, following.norm(dim=-1)
        if converged:
            break
    return a.numpy(), torch.maximum(a, high).numpy(), V
