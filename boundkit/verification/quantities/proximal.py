"""What FedProx's theorem asks: how exactly clients minimise, how losses bend down, how unlike they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.quantities.subject import Subject

_REPLICAS = 100
_SAME = 1e-10


def curvature_downwards(problem: Problem, known: Mapping[str, Constant]) -> Constant:
    """L_minus: the least curvature of any loss lies at or above -L_minus.

    ``known``: the constants of the problem. Its own L_minus where it has one; else L, as sure as L is.
    """
    if isinstance(problem, Quadratic):
        return Constant(max(-float(problem.eigenvalues.min()), 0.0), "exact", "least eigenvalue of any H_i")
    if isinstance(problem, SmoothNonconvex):
        return Constant(0.125, "exact", "(1 - x^2)/(1 + x^2)^2 is at least -1/8")
    if problem.convexity()[0]:
        return Constant(0.0, "exact", "every loss is convex")
    if "L_minus" in known:
        return known["L_minus"]
    return Constant(known["L"].value, known["L"].trust, "no loss bends by more than L, up or down")


def inexactness(run: Run) -> float:
    """The largest ||grad h_i(x_i)||/||grad h_i(x_t)|| that the clients' solver can leave, h_i proximal.

    Exact minimisers leave what they are told to. Gradient steps without noise leave at most the largest
    |1 - eta (h + mu)|^tau over the curvatures h of the losses. Raises BoundkitError where they leave more
    than they found, and where noise or momentum leaves it open.
    """
    settings = run.algorithm.settings
    if settings.get("exact"):
        return float(settings["gamma"])
    if run.problem.draws or settings.get("momentum") or run.offset is not None:
        raise BoundkitError("how exactly noisy steps, momentum or falling rates minimise is not known here")
    mu = float(settings["mu"])
    known = run.problem.constants(run.x0)
    if "L" not in known:
        raise BoundkitError(
            f"how exactly clients minimise needs L, and none is known of this {run.problem.kind} problem"
        )
    ends = np.array([mu - curvature_downwards(run.problem, known).value, mu + known["L"].value])
    if isinstance(run.problem, Quadratic):
        ends = np.array([run.problem.eigenvalues.min(), run.problem.eigenvalues.max()]) + mu
    left = float(np.abs(1 - run.eta * ends).max()) ** int(run.local_steps.min())
    if left > 1:
        raise BoundkitError(f"gradient steps of {run.eta:g} do not bring clients nearer their minimisers")
    return left


def beta_along(subject: Subject) -> Constant:
    """beta with kappa = 0: over all of space where clients share a minimiser, else along sampled runs."""
    problem = subject.run.problem
    if isinstance(problem, Quadratic) and problem.optimum is not None:
        pull = np.abs(problem.apply(problem.centre - problem.e)).max()
        if pull <= _SAME * np.abs(problem.H).max() * max(1.0, float(np.abs(problem.e).max())):
            return Constant(
                _beta_of_hessians(problem), "exact", "largest eigenvalue, clients with one minimiser"
            )
    if not hasattr(problem, "alike") or not problem.alike:
        seen = subject.trajectory
        if seen.engine == "exact":
            from boundkit.simulation.engines import trajectory

            seen = trajectory(subject.run, "step", _REPLICAS)
        apart, mean = (
            seen.observed[n][:, : subject.run.rounds] for n in ("dissimilarity", "gradient_norm_squared")
        )
        here = mean > 0
        ratio = float((apart[here] / mean[here]).max(initial=0.0))
        return Constant((1 + ratio) ** 0.5, "estimated" if seen.random else "local", "largest along the runs")
    return Constant(1.0, "exact", "all clients have one loss")


def _beta_of_hessians(problem: Quadratic) -> float:
    from scipy.linalg import eigh

    if problem.diagonal:
        return float((problem.p @ problem.H**2 / problem.mean_hessian**2).max() ** 0.5)
    squares = np.tensordot(problem.p, problem.H @ problem.H, 1)
    mean = problem.mean_hessian @ problem.mean_hessian
    return float(eigh(squares, mean, eigvals_only=True)[-1] ** 0.5)


def _prox_paid(subject: Subject) -> Constant:
    made_of = next(e for q, e in subject.theorem.definitions.items() if q.name == "prox_paid")
    names = ("L", "L_minus", "C", "m", "mu_prox", "inexactness", "beta")
    value = float(evaluate(made_of, {name: subject.value(name) for name in names}))
    return Constant(value, beta_along(subject).trust, "the five payments of a round")


KNOWN = {
    "L_minus": lambda s: curvature_downwards(s.run.problem, s.constants),
    "mu_prox": lambda s: Constant(float(s.run.algorithm.settings.get("mu", 0.0)), "exact", "the option mu"),
    "inexactness": lambda s: Constant(inexactness(s.run), "exact", "what the clients' solver leaves"),
    "prox_paid": _prox_paid,
}
