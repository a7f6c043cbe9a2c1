r"""The largest |eigenvalue| of every client's Hessian at one point, by Hessian-vector products.

H v is the derivative of the gradient along v. Where the gradient is a formula, H v is Im grad F(w + i h v)/h,
the complex step: nothing is subtracted, so it is exact to rounding. For a torch module the gradients of all
clients form one graph, which is differentiated once more against v.

With v of length 1, a = ||H v|| never falls from one product to the next, and never exceeds ||H||. The square
of some eigenvalue lies within a ||H u - a v|| of a^2, u = Hv/a, which is the residual of the stopping rule;
it bounds the distance to an eigenvalue, which need not be the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra.extras import require
from boundkit.simulation.arrays import AnyArray, Array
from boundkit.simulation.problems import Network, Problem

Indices = NDArray[np.intp]
Product = Callable[[Array], Array]
"""Maps vectors V, (n, d), to H V."""
_POINTS = 4096
_NUMBERS = 2**24
"""Largest numbers of points, with padding, and of weights of all clients at once."""
_FIRST, _NEXT, _MOST, _CLOSE = 8, 3, 200, 1e-3
_TINY = 1e-300
_STEP = 1e-30
"""Length of a complex step."""
_KEPT = 8
"""Number of clients with the largest curvature after the first products that are iterated to convergence."""


@dataclass(frozen=True)
class Norms:
    """Lower bounds of ||H_i||, (m,), the upper ends of the residuals' intervals, and the directions.

    ``vectors``: (m, d), initial directions for the next point.
    """

    low: Array
    high: Array
    vectors: Array

    @property
    def largest(self) -> tuple[float, float]:
        """The ends of the client with the largest curvature."""
        i = int(np.argmax(self.low))
        return float(self.low[i]), float(self.high[i])


def blocks_of(problem: Problem, clients: Indices) -> list[Indices]:
    """Positions in ``clients``, in blocks that are evaluated at once."""
    most = max(1, _NUMBERS // problem.d)
    blocks = (
        list(problem.federation.blocks(clients, _POINTS))
        if isinstance(problem, Network)
        else [np.arange(len(clients))]
    )
    return [block[at : at + most] for block in blocks for at in range(0, len(block), most)]


def product(problem: Problem, clients: Indices, w: Array) -> Product:
    """The map from V, (n, d), to H_i V_i of ``clients``, (n,), at w, (d,)."""
    if isinstance(problem, Network) and not problem.architecture.closed_form:
        return _product_by_graph(problem, clients, w)
    at = np.repeat(w[None, None], len(clients), axis=1)
    gradient = problem.gradients(clients, at.astype(np.complex128))
    return lambda V: np.asarray(gradient(at + 1j * _STEP * V)[0].imag / _STEP)


def mean_product(problem: Problem, w: Array) -> Product:
    """The map from V, (1, d), to sum p_i H_i V at w, (d,); a network's points share one w."""
    if not isinstance(problem, Network):
        own = product(problem, np.arange(problem.m), w)
        return lambda V: (problem.p @ own(np.repeat(V, problem.m, axis=0)))[None]
    federation, gradients = problem.federation, problem.architecture.gradients
    share = (problem.p / federation.sizes)[federation.owner]
    if not problem.architecture.closed_form:
        return _mean_product_by_graph(problem, share, w)
    at = w[None].astype(np.complex128)
    X, labels = federation.tensors(at)

    def times(V: Array) -> Array:
        total, moved = problem.l2 * V, at + 1j * _STEP * V
        for some in _slices(len(X)):
            values = gradients(moved, X[some][None], labels[some][None], share[some][None])
            total = total + values.imag / _STEP
        return total

    return times


def _slices(points: int) -> list[slice]:
    return [slice(at, at + _POINTS) for at in range(0, points, _POINTS)]


def _product_by_graph(problem: Network, clients: Indices, w: Array) -> Product:
    """``product`` by one graph of torch."""
    index, share = problem.federation.padded(clients)
    leaf = _leaf(np.repeat(w[None], len(clients), axis=0))
    X, labels = problem.federation.tensors(leaf)
    times = _differentiated(problem, leaf, [(X[index], labels[index], share)])
    return lambda V: problem.l2 * V + times(V)


def _mean_product_by_graph(problem: Network, share: Array, w: Array) -> Product:
    """``mean_product`` by graphs of torch, for points of these shares in the mean."""
    leaf = _leaf(w[None])
    X, labels = problem.federation.tensors(leaf)
    parts = [(X[some][None], labels[some][None], share[some][None]) for some in _slices(len(X))]
    times = _differentiated(problem, leaf, parts)
    return lambda V: problem.l2 * V + times(V)


def _leaf(w: Array) -> AnyArray:
    require("torch", "the estimate of a module's curvature")
    import torch

    return torch.tensor(w, requires_grad=True)


def _differentiated(
    problem: Network, leaf: AnyArray, parts: Sequence[tuple[AnyArray, AnyArray, Array]]
) -> Product:
    """H V of the weighted loss of points, labels and weights; 0 where a gradient is constant."""
    import torch

    slopes: list[AnyArray] = []
    with torch.enable_grad():
        for X, labels, weights in parts:
            loss = (torch.as_tensor(weights) * problem.architecture.point_losses(leaf, X, labels)).sum()
            slopes += torch.autograd.grad(loss, leaf, create_graph=True)

    def times(V: Array) -> Array:
        total = torch.zeros_like(leaf)
        for gradient in slopes:
            if gradient.requires_grad:
                (value,) = torch.autograd.grad(
                    gradient, leaf, torch.as_tensor(V), retain_graph=True, allow_unused=True
                )
                total = total if value is None else total + value
        return np.asarray(total.numpy(force=True))

    return times


def initial_directions(count: int, d: int, seed: int) -> Array:
    """Standard normal numbers, (count, d): those of torch.randn with this seed.

    By the transform of Box and Muller: of pairs at distance eight in blocks of 16, where the last block
    may overlap the one before; of neighbours where there are fewer than 16 numbers.
    """
    size = count * d
    words = np.random.RandomState(seed).randint(0, 2**32, (size + 17, 2), dtype=np.uint32)
    uniform: Array = words[:, 0] % 2**21 * 2.0**-21 + words[:, 1] * 2.0**-53

    def normal(radius: Array, angle: Array) -> tuple[Array, Array]:
        length, angle = np.sqrt(-2 * np.log1p(-radius)), 2 * np.pi * angle
        return length * np.cos(angle), length * np.sin(angle)

    if size < 16:
        pairs = uniform[: size + size % 2].reshape(-1, 2)
        return np.stack(normal(pairs[:, 1], pairs[:, 0]), axis=1).reshape(-1)[:size].reshape(count, d)
    whole = size - size % 16
    blocks = np.concatenate([uniform[:whole], uniform[size : size + 16]]).reshape(-1, 2, 8)
    numbers = np.stack(normal(blocks[:, 0], blocks[:, 1]), axis=1).reshape(-1)
    if size > whole:
        numbers[size - 16 : size] = numbers[whole:].copy()
    return numbers[:size].reshape(count, d)


def client_norms(problem: Problem, w: Array, start: Array | None = None, seed: int = 0) -> Norms:
    """||H_i(w)|| of every client: a few products of all, then many of those with the largest curvature."""
    V = initial_directions(problem.m, problem.d, seed) if start is None else start.copy()
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
    problem: Problem, w: Array, start: Array | None = None, seed: int = 0
) -> tuple[float, float, Array]:
    """||sum p_i H_i(w)||, from below, the other end of the residual's interval, and the direction (1, d)."""
    V = initial_directions(1, problem.d, seed) if start is None else start
    low, high, V = _powers(mean_product(problem, w), V, _MOST)
    return float(low[0]), float(high[0]), V


def _powers(times: Product, V: Array, most: int) -> tuple[Array, Array, Array]:
    """||H v|| of each row, the other end of its interval, and the last rows, of length 1."""
    V = V / np.maximum(np.linalg.norm(V, axis=-1, keepdims=True), _TINY)
    W = times(V)
    a = high = np.linalg.norm(W, axis=-1)
    for _ in range(most):
        U = W / np.maximum(a, _TINY)[:, None]
        following = times(U)
        residual = np.linalg.norm(following - a[:, None] * V, axis=-1)
        converged = bool((residual <= _CLOSE * a).all())
        high = np.sqrt(a * a + a * residual)
        V, W, a = U, following, np.linalg.norm(following, axis=-1)
        if converged:
            break
    return a, np.maximum(a, high), V
