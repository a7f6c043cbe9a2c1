"""Dissimilarities that a theorem reads at other points than the iterates: everywhere, or where it settles."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.verification.quantities.coming import surrogate_of
from boundkit.verification.quantities.subject import Subject

_ROOM = 1.5
"""beta^2 is so many times the least that will do with some kappa: nearer to it kappa grows without end."""


def everywhere(problem: Problem, x0: np.ndarray) -> tuple[Constant, Constant]:
    """beta and kappa with sum_i p_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2 at every point.

    beta = 1 where the dissimilarity is the same at every point. On quadratics with u = x - x*, M = sum_i p_i
    H_i^2, v = sum_i p_i H_i grad F_i(x*) and H the mean Hessian, beta^2 is 3/2 of the largest eigenvalue of
    H^-1 M H^-1, and kappa^2 = sum_i p_i ||grad F_i(x*)||^2 + v'(beta^2 H^2 - M)^-1 v. Raises BoundkitError on
    other problems, and where the mean loss has no one minimum.
    """
    found = problem.constants(x0)
    if "sigma_g" in found:
        return Constant(1.0, "exact", "the dissimilarity is the same at every point"), found["sigma_g"]
    if not isinstance(problem, Quadratic) or problem.optimum is None:
        raise BoundkitError(f"a dissimilarity at every point is not known of this {problem.kind} problem.")
    H = problem.H if problem.H.ndim == 3 else np.stack([np.diag(h) for h in problem.H])
    g = np.einsum("ijk,ik->ij", H, problem.optimum - problem.e)
    mean, M = np.tensordot(problem.p, H, 1), np.einsum("i,ijk,ikl->jl", problem.p, H, H)
    v = np.einsum("i,ijk,ik->j", problem.p, H, g)
    inverse = np.linalg.inv(mean)
    square = _ROOM * float(np.linalg.eigvalsh(inverse @ M @ inverse)[-1])
    rest = float(v @ np.linalg.solve(square * mean @ mean - M, v))
    kappa = (float(problem.p @ (g**2).sum(axis=1)) + rest) ** 0.5
    how = "with {} on all of space, by eigenvalues"
    return Constant(square**0.5, "exact", how.format("kappa")), Constant(kappa, "exact", how.format("beta"))


def where_it_settles(subject: Subject) -> Constant:
    """kappa where the gradient of the surrogate is 0: the root of sum_i w_i ||grad F_i||^2 there."""
    from boundkit.verification.measures.surrogate import reweighted

    w = surrogate_of(subject.run)
    if w is None:
        raise BoundkitError(f"{subject.run.algorithm.name} has no surrogate here that it minimises.")
    problem = reweighted(subject.run.problem, w)
    if problem.optimum is None:
        raise BoundkitError("the surrogate has no one minimum.")
    square = float(w @ (problem.client_gradients(problem.optimum[None])[0] ** 2).sum(axis=1))
    return Constant(square**0.5, "exact", "where the gradient of the surrogate is 0")
