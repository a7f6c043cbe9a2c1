"""Inexact minimisers of proximal objectives: FedProx."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.dissimilarity import beta_along
from boundkit.verification.family import MEASURED, AssumptionRule, Family
from boundkit.verification.instance import Instance


def _objection(theorem: Theorem, run: Run) -> str:
    if not run.algorithm.settings.get("mu"):
        return "it needs a proximal term, and the mu of the run is 0"
    if run.eta_s != 1:
        return f"it needs eta_s = 1, and the run has {run.eta_s:g}"
    try:
        inexactness(run)
    except BoundkitError as reason:
        return str(reason).rstrip(".")
    return ""


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Instances with rho > 0: mu well above L beta^2, and more draws than 2 beta^2."""
    if not theorem.assumes("inexact-proximal-minimisers"):
        return None
    far = np.full(3, 2.0)
    exact: dict[str, Any] = {"exact": True}
    return [
        _instance("one minimiser, exact", _shared_minimiser(), {"mu": 20.0, **exact}, 200, far),
        _instance(
            "homogeneous clients, many rounds", _homogeneous(), {"mu": 200.0, **exact}, 1500, np.array([2.0])
        ),
        _instance(
            "not convex, gradient steps",
            SmoothNonconvex(np.zeros((16, 3))),
            {"mu": 8.0},
            60,
            far,
            local_steps=10,
            eta=1 / 9,
        ),
        _instance(
            "one minimiser, inexact",
            _shared_minimiser(),
            {"mu": 20.0, "gamma": 0.1, **exact},
            200,
            far,
            present=0.5,
        ),
        _instance("negative curvature", _weakly_convex(), {"mu": 20.0, **exact}, 200, far[:2]),
        _instance(
            "different minimisers, far from them",
            _heterogeneous(),
            {"mu": 20.0, **exact},
            8,
            np.full(3, 40.0),
        ),
        _instance("not convex, tilted", _tilted(), {"mu": 20.0}, 10, np.ones(3), local_steps=40, eta=1 / 21),
        _instance("one round", _shared_minimiser(), {"mu": 10.0, **exact}, 1, far),
    ]


def _instance(
    name: str, problem: Problem, options: dict[str, Any], rounds: int, x0: Any, eta: float = 1.0, **more: Any
) -> Instance:
    return Instance(name, problem, options=options, rounds=rounds, x0=x0, eta=eta, **more)


def _shared_minimiser() -> Problem:
    made = Quadratic.random(16, 3, seed=5, dense=True, spread=0.0, curvature=(0.6, 1.0))
    return Quadratic(list(made.H), made.e, _weights(16))


def _homogeneous() -> Problem:
    return Quadratic([1.0] * 100, np.zeros((100, 1)))


def _weakly_convex() -> Problem:
    return Quadratic([[-0.05, 1.0], *[[1.0, 1.0]] * 3] * 8, np.zeros((32, 2)))


def _heterogeneous() -> Problem:
    return Quadratic.random(32, 3, seed=6, dense=True, curvature=(0.8, 1.0))


def _tilted() -> Problem:
    return SmoothNonconvex.random(32, 3, seed=7, spread=0.02)


def _weights(m: int) -> list[float]:
    drawn = np.random.default_rng(3).uniform(0.5, 1.5, m)
    return [float(v) for v in drawn / drawn.sum()]


def negative_curvature(problem: Problem, constants: Mapping[str, Constant]) -> Constant:
    """L_minus: every eigenvalue of every client's Hessian is at least -L_minus.

    From the problem's ``constants`` where they have it, else L.
    """
    if isinstance(problem, Quadratic):
        return Constant(max(-float(problem.eigenvalues.min()), 0.0), "exact", "least eigenvalue of any H_i")
    if isinstance(problem, SmoothNonconvex):
        return Constant(0.125, "exact", "(1 - x^2)/(1 + x^2)^2 is at least -1/8")
    if problem.convexity()[0]:
        return Constant(0.0, "exact", "every loss is convex")
    if "L_minus" in constants:
        return constants["L_minus"]
    return Constant(constants["L"].value, constants["L"].trust, "no Hessian has a norm above L")


def inexactness(run: Run) -> float:
    """The largest ||grad h_i(x_i)||/||grad h_i(x_t)|| of the clients' solver, h_i the proximal objectives.

    Exact minimisers have the configured ratio. Gradient steps without noise have at most the largest
    |1 - eta (h + mu)|^tau over the curvatures h of the losses. Raises BoundkitError where that exceeds 1,
    and for noise, momentum or decaying steps.
    """
    settings = run.algorithm.settings
    if settings.get("exact"):
        return float(settings["gamma"])
    if run.problem.stochastic or settings.get("momentum") or run.offset is not None:
        raise BoundkitError(
            "the inexactness with noisy steps, momentum or decreasing steps is not known here"
        )
    mu = float(settings["mu"])
    constants = run.problem.constants(run.x0)
    if "L" not in constants:
        raise BoundkitError(
            f"the inexactness of the clients needs L, which is not known for this {run.problem.kind} problem"
        )
    ends = np.array([mu - negative_curvature(run.problem, constants).value, mu + constants["L"].value])
    if isinstance(run.problem, Quadratic):
        ends = np.array([run.problem.eigenvalues.min(), run.problem.eigenvalues.max()]) + mu
    ratio = float(np.abs(1 - run.eta * ends).max()) ** int(run.local_steps.min())
    if ratio > 1:
        raise BoundkitError(f"gradient steps of {run.eta:g} do not approach the clients' minimisers")
    return ratio


def _prox_paid(context: EvaluationContext) -> Constant:
    definition = next(e for q, e in context.theorem.definitions.items() if q.name == "prox_paid")
    names = ("L", "L_minus", "C", "m", "mu_prox", "inexactness", "beta")
    value = float(evaluate(definition, {name: context.value(name) for name in names}))
    return Constant(value, beta_along(context).trust, "the five errors of a round")


FAMILY = Family(
    assumptions={
        vocabulary.BOUNDED_NEGATIVE_CURVATURE: MEASURED,
        vocabulary.LOCAL_DISSIMILARITY: MEASURED,
        vocabulary.INEXACT_PROXIMAL: AssumptionRule(_objection),
    },
    instances=default_instances,
    constants={
        notation.L_minus: lambda context: negative_curvature(context.run.problem, context.constants),
        notation.mu_prox: lambda context: Constant(
            float(context.run.algorithm.settings.get("mu", 0.0)), "exact", "the option mu"
        ),
        notation.inexactness: lambda context: Constant(
            inexactness(context.run), "exact", "of the clients' solver"
        ),
        notation.prox_paid: _prox_paid,
    },
)
