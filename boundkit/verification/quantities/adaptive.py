"""What theorems on adaptive steps ask: server steps that were taken, gradients that were met, and options."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import SmoothNonconvex
from boundkit.verification.quantities.subject import Subject


def _mean_server_step(subject: Subject) -> Constant:
    seen = subject.trajectory
    if "server_step" not in seen.observed:
        raise BoundkitError(f"{subject.run.algorithm.name} takes no server steps of its own.")
    mean = float(seen.mean("server_step")[: subject.run.rounds].mean())
    return Constant(mean, "estimated" if seen.random else "local", "mean of eta_s over the rounds of the run")


def _at_optimum(subject: Subject) -> Constant:
    problem = subject.run.problem
    if problem.optimum is None:
        raise BoundkitError("the dissimilarity at the optimum needs an optimum that is known and unique.")
    square = float(problem.observe(problem.optimum)["dissimilarity"])
    return Constant(max(square, 0.0) ** 0.5, "exact", "sqrt(sum p_i ||grad F_i(x*)||^2)")


def _largest_coordinate(subject: Subject) -> Constant:
    """G_inf without noise: by formula, or from the norms at x_t, which on convex losses fall within a round.

    Raises BoundkitError where neither is so.
    """
    run = subject.run
    if run.problem.draws:
        raise BoundkitError("Gaussian noise has no largest coordinate, so that no G_inf exists.")
    if isinstance(run.problem, SmoothNonconvex):
        return Constant(float(np.abs(run.problem.e).max()) + 0.5, "exact", "max |e_ij| + 1/2")
    if not run.problem.convexity()[0] or run.eta * subject.value("L") > 1:
        raise BoundkitError("no bound on the coordinates of gradients inside a round is known here.")
    if subject.trajectory.random:
        raise BoundkitError("the gradients along a random run have no largest coordinate that is known.")
    norms = np.linalg.norm(run.problem.client_gradients(subject.trajectory.x[: run.rounds]), axis=-1)
    return Constant(float(norms.max()), "local", "largest client gradient along the run")


def _option(name: str) -> Callable[[Subject], Constant]:
    def known(subject: Subject) -> Constant:
        value = subject.run.algorithm.settings.get(name)
        if value is None:
            raise BoundkitError(f"{subject.run.algorithm.name} has no option {name}.")
        return Constant(float(value), "exact", f"the option {name}")

    return known


KNOWN = {
    "eta_s_mean": _mean_server_step,
    "sigma_star": _at_optimum,
    "G_inf": _largest_coordinate,
    "eta_a": lambda s: Constant(s.run.eta_s, "exact", "the server's rate, here a length"),
    "adaptivity": _option("adaptivity"),
    "beta2": _option("beta2"),
    "d": lambda s: Constant(float(s.run.problem.d), "exact", "the problem's own"),
}
