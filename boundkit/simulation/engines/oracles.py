"""Oracles of a problem for algorithms, bound to the clients of a round and its noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ClientOracle, ServerOracle
from boundkit.simulation.arrays import Clients
from boundkit.simulation.engines.stochastic_gradients import StochasticGradients
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run

if TYPE_CHECKING:
    import torch


def client_oracle(
    problem: Problem, clients: Clients, like: torch.Tensor, noise: StochasticGradients | None
) -> ClientOracle:
    """The oracle of each client's own loss; stochastic gradients take their noise from ``noise``."""
    exact = problem.gradients(clients, like)

    def gradient(y: torch.Tensor) -> torch.Tensor:
        return exact(y) if noise is None else noise.gradient(exact, y)

    def proximal(x: torch.Tensor, mu: float) -> torch.Tensor:
        return problem.proximal(clients, like)(x, mu)

    return ClientOracle(gradient, proximal)


def server_oracle(run: Run, like: torch.Tensor, noise: StochasticGradients | None) -> ServerOracle:
    """The server's oracle; stochastic gradients take their noise from ``noise``."""
    clients = np.arange(run.problem.m)

    def gradients(y: torch.Tensor) -> torch.Tensor:
        return client_oracle(run.problem, clients, like, noise).gradient(y)

    def excess(x: torch.Tensor) -> torch.Tensor:
        observed = run.problem.observe(x)
        if "loss_gap" not in observed:
            raise BoundkitError(f"{run.algorithm.name} needs F - F_inf, which is unknown for this problem.")
        gap: torch.Tensor = observed["loss_gap"]
        return gap

    return ServerOracle(run.problem.m, run.problem.p, gradients, excess)


def noiseless_oracle(run: Run, like: torch.Tensor) -> ServerOracle:
    """The server's oracle without noise."""
    return server_oracle(run, like, None)
