"""Oracles of a problem: gradients for algorithms, bound to a round, and losses for client selection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ClientOracle, ServerOracle
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, to_float64
from boundkit.simulation.engines.stochastic_gradients import StochasticGradients
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run


def client_oracle(
    problem: Problem, clients: Clients, like: AnyArray, noise: StochasticGradients | None
) -> ClientOracle:
    """The oracle of each client's own loss; stochastic gradients take their noise from ``noise``."""

    def gradient(y: AnyArray) -> AnyArray:
        exact = problem.gradients(clients, like)  # here: few algorithms ask, and a round may gather matrices
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
