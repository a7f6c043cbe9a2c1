"""Adaptive step sizes: of the server (FedExP, FedAdagrad, FedAdam) and of corrected local solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import MEASURED, AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance, vary_instance

_START = np.full(3, 2.0)
_TAU, _CLIENTS, _ROUNDS = 4, 8, 200
_VALUES = {"T": (50, 100, 200, 400), "tau": (2, 4, 8, 16), "m": (4, 8, 16, 32)}


def _no_server_factor(theorem: Theorem, run: Run) -> str:
    return (
        "" if run.eta_s == 1 else f"the server's step is FedExP's own, and the run has eta_s = {run.eta_s:g}"
    )


def _bounded_noise(theorem: Theorem, run: Run) -> str:
    return (
        ""
        if run.problem.noise == 0
        else "it needs coordinates of at most G_inf, and Gaussian noise has no bound"
    )


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """FedExP where its steps become large, where they stay at 1, and where they increase the loss."""
    if not theorem.assumes("adaptive-server-step"):
        return None
    shared, free = {"epsilon": 0.0}, np.ones(8)
    instances = [
        Instance(
            "one minimiser, each client sees one coordinate",
            _orthogonal(),
            4,
            rounds=60,
            x0=free,
            options=shared,
        ),
        Instance(
            "low rank, one minimiser", _low_rank(), 4, rounds=10, x0=np.array([-0.4, 1.0]), options=shared
        ),
        Instance(
            "different Hessians, long steps",
            _heterogeneous(),
            8,
            rounds=150,
            x0=np.full(3, 2.0),
            options=shared,
        ),
        Instance("homogeneous clients, only the initial error", _steep(), 4, rounds=30, x0=np.array([2.0])),
        Instance(
            "opposite clients, only the error floor",
            _opposite(),
            1,
            rounds=100,
            x0=np.array([0.01]),
            options=shared,
        ),
        Instance(
            "one step each", _heterogeneous(), 1, rounds=200, x0=np.full(3, 2.0), options={"epsilon": 1e-6}
        ),
        Instance("one round", _heterogeneous(), 4, rounds=1, x0=np.full(3, 2.0), options=shared),
        Instance(
            "different Hessians, a tenth of the step",
            _heterogeneous(),
            8,
            step=0.1,
            rounds=300,
            x0=np.full(3, 2.0),
        ),
        Instance("not convex", _nonconvex(), 4, rounds=200, x0=np.full(3, 2.0), options=shared),
        Instance("not convex, many steps", _nonconvex(), 16, rounds=60, x0=np.full(3, 2.0)),
    ]
    convex = theorem.assumes("convex")
    return [instance for instance in instances if instance.problem.convexity()[0] or not convex]


def _orthogonal() -> Problem:
    return Quadratic(list(np.eye(8)), np.zeros((8, 8)))


def _low_rank() -> Problem:
    a = np.array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]])
    return Quadratic([np.outer(v, v) for v in a], np.zeros((3, 2)))


def _heterogeneous() -> Problem:
    return Quadratic.random(8, 3, seed=3, dense=True, spread=2.0, curvature=(0.05, 1.0))


def _steep() -> Problem:
    return Quadratic([4.0] * 8, np.zeros((8, 1)))


def _opposite() -> Problem:
    return Quadratic([1.0] * 8, [[1.0], [-1.0]] * 4)


def _nonconvex() -> Problem:
    return SmoothNonconvex.random(8, 3, seed=4)


def fedexp_steps(context: EvaluationContext) -> Array:
    """FedExP's server step of every round, (R, T)."""
    return context.trajectory.observed["server_step"][:, : context.run.rounds]


def _mean_server_step(context: EvaluationContext) -> Constant:
    recorded = context.trajectory
    if "server_step" not in recorded.observed:
        raise BoundkitError(f"{context.run.algorithm.name} has no adaptive server step.")
    mean = float(recorded.mean("server_step")[: context.run.rounds].mean())
    return Constant(
        mean, "estimated" if recorded.random else "local", "mean of eta_s over the rounds of the run"
    )


def _at_optimum(context: EvaluationContext) -> Constant:
    problem = context.run.problem
    if problem.optimum is None:
        raise BoundkitError("the dissimilarity at the optimum needs a known and unique optimum.")
    square = float(problem.observe(problem.optimum)["dissimilarity"])
    return Constant(max(square, 0.0) ** 0.5, "exact", "sqrt(sum p_i ||grad F_i(x*)||^2)")


def _largest_coordinate(context: EvaluationContext) -> Constant:
    """G_inf without noise: by formula, or from the norms at x_t, which on convex losses decrease in a round.

    Raises BoundkitError where neither applies.
    """
    run = context.run
    if run.problem.stochastic:
        raise BoundkitError("Gaussian noise is unbounded, so that no G_inf exists.")
    if isinstance(run.problem, SmoothNonconvex):
        return Constant(float(np.abs(run.problem.e).max()) + 0.5, "exact", "max |e_ij| + 1/2")
    if not run.problem.convexity()[0] or run.eta * context.value("L") > 1:
        raise BoundkitError("no bound on the coordinates of gradients inside a round is known here.")
    if context.trajectory.random:
        raise BoundkitError("the largest coordinate of the gradients of a random run is not known.")
    norms = np.linalg.norm(run.problem.client_gradients(context.trajectory.x[: run.rounds]), axis=-1)
    return Constant(float(norms.max()), "local", "largest client gradient along the run")


def _option(name: str) -> Callable[[EvaluationContext], Constant]:
    def measure(context: EvaluationContext) -> Constant:
        value = context.run.algorithm.settings.get(name)
        if value is None:
            raise BoundkitError(f"{context.run.algorithm.name} has no option {name}.")
        return Constant(float(value), "exact", f"the option {name}")

    return measure


def _problem(noise: float = 0.0) -> SmoothNonconvex:
    return SmoothNonconvex.random(4, 3, seed=4, spread=0.5, noise=noise)


def _adaptive_server_sweeps(options: dict[str, Any]) -> Sweeps:
    """Steps eta = 1/(8 tau L sqrt T), adaptivity = G_inf/L, and a server rate of 16 sqrt(tau m) G_inf/L."""

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        varied = vary_instance(instance, keyword, value)
        problem, tau = varied.problem, float(varied.local_steps)
        assert isinstance(problem, SmoothNonconvex)
        G = float(np.abs(problem.e).max()) + 0.5
        return replace(
            varied,
            eta=1 / (8 * tau * varied.rounds**0.5),
            eta_s=16 * (tau * problem.m) ** 0.5 * G,
            options={**options, "adaptivity": G},
        )

    instance = vary_instance(
        Instance("tuned", _problem(), local_steps=_TAU, rounds=_ROUNDS, x0=_START), "m", _CLIENTS
    )
    return Sweeps(instance, _VALUES, vary)


def _local_solver_sweeps() -> Sweeps:
    """AdaGrad at eta = sqrt(m/(tau T))/L: T and m with noise and one local step, tau without noise."""

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        isolated = (
            instance
            if keyword != "tau"
            else replace(instance, problem=instance.problem.without_noise(), local_steps=_TAU)
        )
        varied = vary_instance(isolated, keyword, value)
        tau = float(varied.local_steps)
        return replace(varied, eta=(varied.problem.m / (tau * varied.rounds)) ** 0.5, eta_s=tau)

    options = {"solver": "adagrad", "correction": "local", "epsilon": 0.1}
    instance = vary_instance(
        Instance("tuned", _problem(1.0), rounds=_ROUNDS, x0=_START, options=options), "m", _CLIENTS
    )
    return Sweeps(instance, _VALUES, vary)


def _sweeps(theorem: Theorem) -> Sweeps | None:
    if theorem.algorithm == "fedadagrad":
        return _adaptive_server_sweeps({})
    if theorem.algorithm == "fedadam":
        return _adaptive_server_sweeps({"beta1": 0.0})
    return _local_solver_sweeps() if theorem.algorithm == "local_adaptive" else None


FAMILY = Family(
    assumptions={
        vocabulary.ADAPTIVE_SERVER_STEP: AssumptionRule(
            _no_server_factor, lambda _, i: replace(i, eta_s=1.0)
        ),
        vocabulary.OPTIMUM_DISSIMILARITY: MEASURED,
        vocabulary.COORDINATE_NOISE: MEASURED,
        vocabulary.BOUNDED_COORDINATES: AssumptionRule(
            _bounded_noise, lambda _, i: replace(i, problem=i.problem.without_noise())
        ),
    },
    instances=default_instances,
    constants={
        notation.eta_s_mean: _mean_server_step,
        notation.sigma_star: _at_optimum,
        notation.G_inf: _largest_coordinate,
        notation.eta_a: lambda context: Constant(
            context.run.eta_s, "exact", "the server's step size, here a length"
        ),
        notation.adaptivity: _option("adaptivity"),
        notation.beta2: _option("beta2"),
        notation.d: lambda context: Constant(float(context.run.problem.d), "exact", "the problem's own"),
    },
    round_weights={"fedexp": fedexp_steps},
    sweeps=_sweeps,
)
