"""sigma_g where every client's gradient is compared with the mean gradient, wherever a client goes."""

from __future__ import annotations

import numpy as np

from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.verification.quantities.subject import Subject


def same_everywhere(problem: Problem, x0: Array) -> bool:
    """Whether the clients' gradients differ by the same vectors at every point."""
    if not isinstance(problem, Quadratic):
        return problem.alike
    return "sigma_g" in problem.constants(x0)


def of_every_client(subject: Subject) -> Constant:
    """The root of the largest E||grad F_i - grad F||^2, at the clients' own models at every local step.

    Exact where the gradients differ by the same vectors everywhere; else the run must have been watched at
    its local steps, where the worst client of each step and replica is taken. Raises NotYet before the run.
    """
    problem = subject.run.problem
    if same_everywhere(problem, subject.run.x0):
        each = problem.client_gradients(subject.run.x0[None])[0]
        worst = float(np.linalg.norm(each - problem.p @ each, axis=1).max())
        return Constant(worst, "exact", "the client furthest from the mean, the same at every point")
    seen = subject.trajectory
    at = seen.mean("local_spread")
    round = int(np.argmax(at))
    how = f"largest at local models, in round {round}"
    return Constant(float(at[round]) ** 0.5, "estimated" if seen.random else "local", how)
