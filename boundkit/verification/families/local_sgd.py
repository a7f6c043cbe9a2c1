"""Local SGD and FedAvg: claims at the average of the local models, AdaComm, and rates of order level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.problems import LogCosh, Problem, Quadratic, SmoothNonconvex
from boundkit.verification.context import EvaluationContext, recorded_series
from boundkit.verification.families.decaying_steps import heterogeneous, homogeneous
from boundkit.verification.family import MEASURED, Family, Sweeps
from boundkit.verification.instance import Instance, vary_instance

_SPREAD = np.array([[1.0, 0.0], [-1.0, 0.5], [0.5, -1.0], [-0.5, 0.5]])
_VALUES = {
    "T": (400, 800, 1600, 3200),
    "tau": (2, 4, 8, 16, 32),
    "m": (4, 8, 16, 32),
    "C": (0.125, 0.25, 0.5, 0.625),
}


def virtual_gradient(context: EvaluationContext) -> Array:
    """The mean over the local steps of a round, weighted by their number over its mean.

    The mean over rounds of this series is the mean over all local steps.
    """
    series = recorded_series(context, "virtual_gradient_norm_squared")
    if context.run.algorithm.name != "adacomm" and context.run.tau is not None:
        return series
    steps, _ = local_steps_of_rounds(context)
    share = steps / steps.mean()
    return np.concatenate([series[:, :-1] * share, series[:, -1:]], axis=1)


def virtual_loss_gap(context: EvaluationContext) -> Array:
    """The mean over the local steps 1, ..., tau of a round; the last is the start of the next round."""
    series = recorded_series(context, "virtual_loss_gap").copy()
    at = recorded_series(context, "loss_gap")
    steps = np.array([context.run.steps(t).max() for t in range(series.shape[1] - 1)])
    series[:, :-1] += (at[:, 1:] - at[:, :-1]) / steps
    return series


def local_steps_of_rounds(context: EvaluationContext) -> tuple[Array, bool]:
    """The local steps of each round, (R, T), and whether they are random."""
    run = context.run
    if run.algorithm.name != "adacomm":
        return np.array([[run.steps(t).max() for t in range(run.rounds)]], dtype=np.float64), False
    recorded = context.trajectory
    return recorded.observed["local_steps"][:, : max(len(recorded.x) - 1, 1)], recorded.random


def _tau_mean(context: EvaluationContext) -> Constant:
    steps, sampled = local_steps_of_rounds(context)
    return Constant(float(steps.mean()), _trust(sampled), "mean of the local steps of a round")


def _tau_square_over_mean(context: EvaluationContext) -> Constant:
    steps, sampled = local_steps_of_rounds(context)
    return Constant(float((steps**2).mean() / steps.mean()), _trust(sampled), "sum tau^2/sum tau over rounds")


def _trust(sampled: bool) -> Trust:
    return "estimated" if sampled else "local"


def _tau_max(context: EvaluationContext) -> Constant:
    return Constant(float(context.run.local_steps.max()), "exact", "AdaComm only reduces the local steps")


def _quadratic(noise: float) -> Problem:
    return Quadratic([[1.0, 0.1]] * 4, np.zeros((4, 2)), noise=noise)


def _nonconvex(noise: float) -> Problem:
    return SmoothNonconvex(np.zeros((4, 2)), noise=noise)


def _adacomm_instances() -> list[Instance]:
    """Rounds that become shorter, with and without noise, and rounds of one step."""
    instances = [
        ("rounds that get shorter", _quadratic(0.0), 8, 2, 40),
        ("rounds that get shorter, noise", _quadratic(1.0), 8, 5, 60),
        ("not convex, noise", _nonconvex(1.0), 16, 4, 40),
        ("not convex, no noise", _nonconvex(0.0), 12, 3, 40),
        ("one step a round", _quadratic(0.5), 1, 1, 100),
        ("one round", _quadratic(0.5), 4, 1, 1),
        ("tau updated after every round", _quadratic(0.3), 20, 1, 40),
    ]
    return [
        Instance(name, problem, tau, rounds=rounds, options={"period": period}, x0=np.full(2, 3.0))
        for name, problem, tau, period, rounds in instances
    ]


def _convex_instances() -> list[Instance]:
    """Noise where gradients differ by the same vectors everywhere; no noise elsewhere."""
    shared = Quadratic.random(6, 2, seed=6, curvature=(0.2, 1.0), spread=1.0, shared=True, noise=1.0)
    instances = [
        ("one Hessian, noise", shared, 8, 1.0, 100),
        ("distant start, small steps", homogeneous(0.0), 4, 0.1, 60),
        ("different Hessians, no noise", heterogeneous(0.0), 16, 1.0, 60),
        ("one curvature, noise, one step", homogeneous(1.0), 1, 1.0, 200),
        ("one Hessian, noise, at the error floor", shared, 4, 0.1, 2000),
        ("different Hessians, no noise, many small steps", heterogeneous(0.0), 64, 0.1, 20),
        ("one round, distant start", homogeneous(0.0), 4, 1.0, 1),
        ("homogeneous clients, noise, many steps", homogeneous(3.0), 64, 1.0, 30),
    ]
    return [
        Instance(name, problem, tau, step=part, rounds=rounds, x0=np.full(problem.d, 3.0))
        for name, problem, tau, part, rounds in instances
    ]


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Those of AdaComm, and those of convex losses with a uniform bound on the dissimilarity."""
    if theorem.algorithm == "adacomm":
        return _adacomm_instances()
    return _convex_instances() if theorem.assumes("uniform-dissimilarity") else None


def shared_hessian(m: int, noise: float, spread: float = 1.0) -> Quadratic:
    """m clients with the Hessian I, whose minimisers are four points in turn."""
    return Quadratic([1.0] * m, spread * _SPREAD[np.arange(m) % 4], noise=noise)


def _isolate(instance: Instance, keyword: str, value: float) -> Instance:
    """The instance with a quantity varied, and no error source but the one that depends on it."""
    m = instance.problem.m
    if keyword in ("tau", "m"):
        instance = replace(instance, problem=shared_hessian(m, 1.0, spread=0.0))
    if keyword == "C":
        instance = replace(instance, problem=shared_hessian(m, 0.0))
    return vary_instance(instance, keyword, value)


def _rate_sweeps() -> Sweeps:
    """Noise and client sampling, from a start away from the optimum."""
    instance = Instance(
        "noise and sampling", shared_hessian(8, 1.0), 2, present=0.5, rounds=1600, x0=np.full(2, 2.0)
    )
    return Sweeps(instance, _VALUES, _isolate)


def _strongly_convex_rate_sweeps() -> Sweeps:
    """Noise and sampling from the optimum, at steps of 4/(mu tau T), so that no logarithm is left."""

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        varied = _isolate(instance, keyword, value)
        steps = float(varied.local_steps) * varied.rounds
        optimum = np.average(varied.problem.e, axis=0) if isinstance(varied.problem, Quadratic) else None
        return replace(varied, eta=4 / steps, x0=optimum)

    instance = Instance("noise and sampling", shared_hessian(8, 1.0), 2, present=0.5, rounds=128)
    return Sweeps(instance, {**_VALUES, "T": (64, 128, 256, 512), "tau": (1, 2, 4, 8)}, vary)


def _rounds_to_target_sweeps() -> Sweeps:
    """The target, local steps and clients, on a slope of twice the target where noise dominates."""

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        target = value if keyword == "target" else float(instance.target or 0)
        m = int(value) if keyword == "m" else instance.problem.m
        tau = int(value) if keyword == "tau" else int(instance.local_steps)
        eta = target * m / (4 * instance.problem.noise**2)
        distance = 1 / (2 * target)
        return replace(
            instance,
            problem=LogCosh([2 * target] * m, np.zeros((m, 1)), noise=instance.problem.noise),
            local_steps=tau,
            target=target,
            eta=eta,
            rounds=20 + int(3 * distance / (eta * tau * 2 * target)),
            x0=np.full(1, distance + np.log(2)),
        )

    start = LogCosh([1.0] * 2, np.zeros((2, 1)), noise=3.0)
    instance = Instance("a long slope, noise", start, local_steps=2, target=0.3, rounds=1)
    return Sweeps(
        instance, {"target": (0.5, 0.42, 0.35, 0.3, 0.25), "tau": (1, 2, 4, 8), "m": (1, 2, 3, 4)}, vary
    )


def _sweeps(theorem: Theorem) -> Sweeps | None:
    if theorem.kind != "order" or theorem.algorithm != "fedavg":
        return None
    if theorem.claim.summary == "first":
        return _rounds_to_target_sweeps()
    if not theorem.assumes("beta-kappa-dissimilarity", "partial-participation"):
        return None
    return _strongly_convex_rate_sweeps() if theorem.assumes("strongly-convex") else _rate_sweeps()


FAMILY = Family(
    assumptions={vocabulary.UNIFORM_DISSIMILARITY: MEASURED},
    instances=default_instances,
    constants={
        notation.tau_mean: _tau_mean,
        notation.tau_felt: _tau_square_over_mean,
        notation.tau_max: _tau_max,
    },
    observables={
        "virtual_gradient_norm_squared": virtual_gradient,
        "virtual_loss_gap": virtual_loss_gap,
    },
    sweeps=_sweeps,
)
