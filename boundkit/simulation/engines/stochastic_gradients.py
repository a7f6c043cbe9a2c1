"""Stochastic gradients of a round: additive noise, mini-batches, or parts in shuffled order.

Noise is sigma/sqrt(d) N(0, I) per gradient, drawn in blocks that do not change the numbers. Bounded noise is
computed from the same normals: z sigma r/||z|| with r = P(||Z|| <= ||z||)^(1/d), which is uniform in the ball
of radius sigma; noise of two values takes the lower one for the largest normals. Mini-batches are drawn from
the clients' own points. With parts, each client passes over its B parts in an order reshuffled for each pass,
and a round begins with a new pass.

A round's numbers are drawn for the largest possible number of clients, independently of participation, so
that the draws of a replica depend only on its own streams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ClientOracle, ServerOracle
from boundkit.simulation.arrays import (
    AnyArray,
    Array,
    Clients,
    array_namespace,
    as_like,
    to_device,
    to_float64,
)
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.random_streams import CounterStreams, Streams
from boundkit.simulation.run import Run

_BYTES = 2**20
"""Bytes of the noise that is drawn at once."""
Rows = NDArray[np.intp]


class StochasticGradients(Protocol):
    """The stochastic gradients of a round."""

    def gradient(self, exact: Callable[[AnyArray], AnyArray], y: AnyArray) -> AnyArray:
        """The next stochastic gradient at y, (R, n, d), given the exact one as a function."""

    def discard_rest(self) -> None:
        """Draw the rest and discard it."""


class Noise:
    """The noise of one round, for ``steps`` gradients of ``columns`` clients; the first ``n`` are used.

    The draws of a replica must not depend on participation in the other replicas of its chunk: so as many
    gradients and columns are drawn as any replica may need. ``draw(steps, columns, d)`` gives normals; the
    noise is in the library and on the device of ``like``.
    """

    def __init__(
        self,
        draw: Callable[[int, int, int], NDArray[Any]],
        scale: float,
        shape: tuple[int, int, int],
        like: AnyArray,
        step_bytes: int,
        n: int | None = None,
    ) -> None:
        self.draw, self.scale, self.like, self.n = draw, float(scale), like, n
        self.left, self.columns, self.d = shape
        self.size = max(1, _BYTES // max(step_bytes, 1))
        self.block: AnyArray | None = None
        self.at = 0

    def gradient(self, exact: Callable[[AnyArray], AnyArray], y: AnyArray) -> AnyArray:
        """The exact gradient and its noise."""
        return exact(y) + self.next_noise()

    def next_noise(self) -> AnyArray:
        """The noise of the next gradient, (R, n, d); beyond the announced gradients, one more is drawn."""
        if self.block is None or self.at == self.block.shape[1]:
            steps = max(1, min(self.size, self.left))
            normals = self.draw(steps, self.columns, self.d)
            self.block, self.at = to_device(self.scaled(normals), self.like), 0
            self.left -= steps
        self.at += 1
        noise = self.block[:, self.at - 1]
        return noise if self.n is None else noise[:, : self.n]

    def scaled(self, normals: NDArray[Any]) -> NDArray[Any]:
        """The noise computed from these normals, (R, steps, columns, d)."""
        normals *= self.scale
        return normals

    def discard_rest(self) -> None:
        """Draw the rest and discard it."""
        while self.left > 0:
            steps = min(self.size, self.left)
            self.draw(steps, self.columns, self.d)
            self.left -= steps


class BallNoise(Noise):
    """Uniform noise in the ball of radius ``scale``."""

    def scaled(self, normals: NDArray[Any]) -> NDArray[Any]:
        """z scale r/||z||, with ||Z||^2 chi-squared of d degrees of freedom."""
        from scipy.special import gammainc

        squared = np.sum(normals**2, axis=-1, keepdims=True)
        inside = gammainc(squared.dtype.type(self.d / 2), squared / 2) ** (1 / self.d)
        normals *= self.scale * inside / np.maximum(np.sqrt(squared), np.finfo(squared.dtype).tiny)
        return normals


class JumpNoise(Noise):
    """Noise of two values in each coordinate, of mean 0 and deviation ``scale``: sqrt((1 - p)/p) below 0 with
    probability p, sqrt(p/(1 - p)) above 0 otherwise.
    """

    probability: float

    def scaled(self, normals: NDArray[Any]) -> NDArray[Any]:
        """The negative value for the p largest of all normals."""
        from scipy.special import ndtri

        odds = (self.probability / (1 - self.probability)) ** 0.5
        jumps = normals > -ndtri(self.probability)
        normals[...] = np.where(jumps, -self.scale / odds, self.scale * odds)
        return normals


class Minibatches:
    """The mini-batches of one round: ``steps`` announced gradients of ``clients``, (n,) or (R, n).

    ``index``: points, (R, n, steps, b), on the host, or on the device where they are drawn there;
    ``weights``: 1/b, or 0 for padding where a batch is smaller than b; None without padding. Gradients
    beyond those announced (at the server's model, for example) have their own batches.
    """

    def __init__(
        self, problem: Problem, clients: Clients, steps: int, columns: int, streams: Streams
    ) -> None:
        assert problem.batches is not None
        self.problem, self.sampling, self.columns, self.streams = problem, problem.batches, columns, streams
        self.clients: Any = clients  # a tensor where they were drawn on the device
        if isinstance(clients, np.ndarray):
            self.clients = np.broadcast_to(clients, (streams.count, clients.shape[-1]))
        self.at, self.steps = 0, steps
        self.index: Any = None
        self.weights: Any = None
        if steps:
            self.index, self.weights = self._draw(steps)

    def gradient(self, exact: Callable[[AnyArray], AnyArray], y: AnyArray) -> AnyArray:
        """The gradient at y, (R, n, d), on the next mini-batches."""
        if self.index is not None and self.at < self.steps:
            index = self.index[:, :, self.at]
            weights = None if self.weights is None else self.weights[:, :, self.at]
        else:
            index, weights = (None if drawn is None else drawn[:, :, 0] for drawn in self._draw(1))
        self.at += 1
        R, n, d = y.shape
        b = index.shape[-1]
        flat = self.problem.batch_gradient(
            y.reshape(-1, d), index.reshape(-1, b), None if weights is None else weights.reshape(-1, b)
        )
        return flat.reshape(R, n, d)

    def discard_rest(self) -> None:
        """Do nothing: all announced batches were drawn at once."""

    def _draw(self, steps: int) -> tuple[Any, Any]:
        if self.sampling.shuffled:
            return self._in_passes(steps)
        if isinstance(self.streams, CounterStreams):
            return self._by_counter(self.streams, steps), None
        n, sizes = self.clients.shape[-1], self.sampling.sizes[self.clients]
        u = self.streams.uniform(self.columns, steps, self.sampling.size, purpose="batches")[:, :n]
        u *= sizes[:, :, None, None]
        index = u.astype(np.intp)  # downwards; u < 1, but u n may round up to n
        np.minimum(index, sizes[:, :, None, None] - 1, out=index)
        index += self.sampling.offsets[self.clients][:, :, None, None]
        return index, None

    def _by_counter(self, streams: CounterStreams, steps: int) -> AnyArray:
        """Points with replacement, drawn on the device of the streams."""
        clients = streams.clients(self.clients)
        sizes, offsets = (streams.on_device(a)[clients] for a in (self.sampling.sizes, self.sampling.offsets))
        index = streams.integers(sizes, self.columns, steps * self.sampling.size) + offsets[..., None]
        return index.reshape(*clients.shape, steps, self.sampling.size)

    def _in_passes(self, steps: int) -> tuple[Rows, Any]:
        """Consecutive batches of passes over each client's data, each pass in a fresh random order.

        A client's passes lie consecutively: pass number + u, sorted, gives every pass in random order.
        """
        sampling, (R, n) = self.sampling, self.clients.shape
        sizes = sampling.sizes[self.clients][..., None]
        a_pass = sampling.batches_per_pass[self.clients][..., None]
        # whole passes of any client with its steps
        length = steps * sampling.size + int(sampling.sizes.max())
        u = self.streams.uniform(self.columns, length, purpose="batches")[:, :n]
        order = np.argsort(np.arange(length) // sizes + u, axis=-1)
        turn, at = np.divmod(np.arange(steps), a_pass)  # (R, n, steps)
        begin, place = (turn * sizes)[..., None], at[..., None] * sampling.size + np.arange(sampling.size)
        inside = place < sizes[..., None]
        drawn = (begin + np.where(inside, place, 0)).reshape(R, n, -1)  # (R, n, steps b)
        index = np.take_along_axis(order, drawn, axis=-1).reshape(place.shape) - begin
        index += sampling.offsets[self.clients][..., None, None]
        if inside.all():
            return index, None
        return index, inside / inside.sum(axis=-1, keepdims=True)


class ShuffledParts:
    """The offsets g_ib of one round, for ``steps`` gradients of ``clients``, (n,) or (R, n)."""

    def __init__(self, parts: Array, clients: Clients, steps: int, streams: Streams, like: AnyArray) -> None:
        self.parts = as_like(parts, like)
        self.clients, self.steps, self.at = clients, steps, 0
        m, B, _ = parts.shape
        # the order of B independent normals is uniform among all orders
        self.order = np.argsort(streams.normal(-(-steps // B), m, B), axis=-1)

    def gradient(self, exact: Callable[[AnyArray], AnyArray], y: AnyArray) -> AnyArray:
        """The exact gradient and the offset of the part."""
        return exact(y) + self.next_offsets()

    def next_offsets(self) -> AnyArray:
        """The offsets of the next gradient, (R, n, d).

        Raises BoundkitError for a gradient that does not belong to a local step.
        """
        if self.at == self.steps:
            raise BoundkitError(
                "parts are visited in local steps, and the algorithm takes a stochastic gradient elsewhere."
            )
        turn, k = divmod(self.at, self.order.shape[-1])
        self.at += 1
        chosen = self.order[:, turn, :, k]
        if self.clients.ndim == 1:
            chosen = chosen[:, self.clients]
        else:
            chosen = np.take_along_axis(chosen, self.clients, axis=1)
        offsets: AnyArray = self.parts[np.broadcast_to(self.clients, chosen.shape).copy(), chosen]
        return offsets

    def discard_rest(self) -> None:
        """Do nothing: all orders were drawn at once."""


def refuse_parts(problem: Problem) -> None:
    """Raise BoundkitError for clients with parts: the noise of a round's steps is then not independent."""
    if problem.parts is not None:
        raise BoundkitError(
            "clients pass over shuffled parts of their data, which the step engine alone can run."
        )


def stochastic_gradients(
    problem: Problem, streams: Streams, clients: Clients, steps: int, columns: int, like: AnyArray
) -> StochasticGradients | None:
    """The gradients of a round of ``clients``, of which ``steps`` are announced; None where they are exact.

    Numbers are drawn for ``columns`` clients, in the precision and on the device of ``like``.
    """
    if problem.batches is not None:
        return Minibatches(problem, clients, steps, columns, streams)
    if problem.parts is not None:
        return ShuffledParts(problem.parts, clients, steps, streams, like)
    if not problem.noise:
        return None
    kind = np.float64 if like.dtype.itemsize == 8 else np.float32

    def draw(*shape: int) -> NDArray[Any]:
        return streams.normal(*shape, dtype=kind)

    shape, n = (steps, columns, problem.d), clients.shape[-1]
    step_bytes = streams.count * columns * problem.d * like.dtype.itemsize
    if problem.bounded:
        return BallNoise(draw, problem.noise, shape, like, step_bytes, n)
    if problem.jump:
        jumps = JumpNoise(draw, problem.deviation, shape, like, step_bytes, n)
        jumps.probability = problem.jump
        return jumps
    return Noise(draw, problem.deviation, shape, like, step_bytes, n)


def client_oracle(
    problem: Problem, clients: Clients, like: AnyArray, noise: StochasticGradients | None
) -> ClientOracle:
    """The oracle of each client's own loss; stochastic gradients take their noise from ``noise``."""

    def gradient(y: AnyArray) -> AnyArray:
        exact = problem.gradients(clients, like)  # here: few algorithms need it, and it gathers matrices
        return exact(y) if noise is None else noise.gradient(exact, y)

    def proximal(x: AnyArray, mu: float) -> AnyArray:
        return problem.proximal(clients, like)(x, mu)

    return ClientOracle(gradient, proximal)


def server_oracle(run: Run, like: AnyArray, noise: StochasticGradients | None) -> ServerOracle:
    """The server's oracle; stochastic gradients take their noise from ``noise``."""
    clients = np.arange(run.problem.m)

    def gradients(y: AnyArray) -> AnyArray:
        return client_oracle(run.problem, clients, like, noise).gradient(y)

    def excess(x: AnyArray) -> AnyArray:
        observed = run.problem.observe(x)
        if "loss_gap" not in observed:
            raise BoundkitError(f"{run.algorithm.name} needs F - F_inf, which is unknown for this problem.")
        gap: AnyArray = observed["loss_gap"]
        return gap

    return ServerOracle(run.problem.m, run.problem.p, gradients, excess)


def noiseless_oracle(run: Run, like: AnyArray) -> ServerOracle:
    """The server's oracle without noise."""
    return server_oracle(run, like, None)


def loss_oracles(
    problem: Problem, x: AnyArray, streams: Streams
) -> tuple[Callable[[], Array], Callable[[int], Array]]:
    """F_i(x), (R, m), and its estimate from a mini-batch.

    The estimate is the mean over points of a network's clients. On a problem without points it is
    F_i(x) + xi'(x - centre), with xi the noise of a gradient on a mini-batch.
    """

    def losses() -> Array:
        return to_float64(problem.losses(x))

    def estimates(batch: int) -> Array:
        if isinstance(problem, Network):
            return estimate_losses(problem, x, batch, streams)
        offset = to_float64(x) - problem.centre
        xi = streams.normal(problem.m, problem.d, purpose="selection") * (problem.deviation / batch**0.5)
        return np.asarray(losses() + (xi * offset[:, None, :]).sum(axis=-1))

    return losses, estimates


def estimate_losses(network: Network, x: AnyArray, batch: int, streams: Streams) -> Array:
    """The mean loss at x, (R, d), over ``batch`` points of each client, drawn with replacement: (R, m)."""
    xp, data, m = array_namespace(x), network.federation, network.m
    u = streams.uniform(m, batch, purpose="selection") * data.sizes[:, None]
    index = np.minimum(u.astype(np.intp), data.sizes[:, None] - 1) + data.offsets[:-1, None]
    points, labels = data.tensors(x)
    means = np.empty((len(x), m))
    for r in range(len(x)):
        at = index[r].reshape(1, -1)
        each = network.architecture.point_losses(x[r : r + 1], points[at], labels[at]).reshape(m, batch)
        means[r] = to_float64(xp.mean(each, axis=1))
    penalty = to_float64(xp.sum(x * x, axis=-1, keepdims=True))
    return np.asarray(means + network.l2 / 2 * penalty)
