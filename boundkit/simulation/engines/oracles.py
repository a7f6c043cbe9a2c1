"""Oracles of a problem for algorithms, bound to the clients of a round and its noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Ask, Oracle
from boundkit.simulation.engines.noise import Drawn
from boundkit.simulation.participation import Clients
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run

if TYPE_CHECKING:
    import torch


def ask(problem: Problem, clients: Clients, like: torch.Tensor, noise: Drawn | None) -> Ask:
    """The clients' oracle; stochastic gradients take their noise from ``noise``."""
    exact = problem.gradients(clients, like)

    def gradient(y: torch.Tensor) -> torch.Tensor:
        return exact(y) if noise is None else noise.gradient(exact, y)

    def proximal(x: torch.Tensor, mu: float) -> torch.Tensor:
        return problem.proximal(clients, like)(x, mu)

    return Ask(gradient, proximal)


def oracle(run: Run, like: torch.Tensor, noise: Drawn | None) -> Oracle:
    """The server's oracle; stochastic gradients take their noise from ``noise``."""
    everyone = np.arange(run.problem.m)

    def gradients(y: torch.Tensor) -> torch.Tensor:
        return ask(run.problem, everyone, like, noise).gradient(y)

    def excess(x: torch.Tensor) -> torch.Tensor:
        seen = run.problem.observe(x)
        if "loss_gap" not in seen:
            raise BoundkitError(f"{run.algorithm.name} looks at F - F_inf, which this problem does not know.")
        gap: torch.Tensor = seen["loss_gap"]
        return gap

    return Oracle(run.problem.m, run.problem.p, gradients, excess)


def quiet_oracle(run: Run, like: torch.Tensor) -> Oracle:
    """The server's oracle without noise."""
    return oracle(run, like, None)
