"""Demonstrations in the plane: quadratic losses and trajectories as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run


@dataclass(frozen=True)
class LossRow:
    """A loss 1/2 (x - c)'H(x - c): ``h11``, ``h12``, ``h22`` of H, and ``c1``, ``c2`` of its minimum c."""

    loss: str
    h11: float
    h12: float
    h22: float
    c1: float
    c2: float


@dataclass(frozen=True)
class LocalStep:
    """``x1``, ``x2``: the model of ``who`` after so many steps."""

    who: str
    step: int
    x1: float
    x2: float


def bowls(problem: Quadratic) -> Iterator[LossRow]:
    """The clients' losses, "client 1" first, of a problem in two coordinates with full Hessians."""
    for i, (H, e) in enumerate(zip(problem.H, problem.e, strict=True)):
        yield bowl(f"client {i + 1}", H, e)


def bowl(name: str, H: Array, c: Array) -> LossRow:
    """One loss by its Hessian, (2, 2), and its minimum, (2,)."""
    return LossRow(name, float(H[0, 0]), float(H[0, 1]), float(H[1, 1]), float(c[0]), float(c[1]))


def steps_of(who: str, path: Array) -> Iterator[LocalStep]:
    """Rows of a trajectory, (steps + 1, 2)."""
    for k, x in enumerate(path):
        yield LocalStep(who, k, float(x[0]), float(x[1]))


def local_path(problem: Quadratic, client: int, x: Array, eta: float, steps: int) -> Array:
    """The models of one client in a round that begins at x, (steps + 1, d).

    Computed as rounds of one local step of this client alone.
    """
    alone = Quadratic([problem.H[client]], [problem.e[client]])
    run = make_run("fedavg", alone, rounds=steps, eta=eta, local_steps=1, x0=x)
    return np.asarray(trajectory(run, "step").x)


def rotated_hessian(angle: float, steep: float, flat: float) -> Array:
    """A Hessian with eigenvalue ``steep`` at this angle, in units of pi, and ``flat`` across."""
    cos, sin = np.cos(np.pi * angle), np.sin(np.pi * angle)
    Q = np.array([[cos, -sin], [sin, cos]])
    H = (Q * np.array([steep, flat])) @ Q.T
    return np.asarray((H + H.T) / 2)
