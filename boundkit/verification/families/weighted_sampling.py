"""Clients with weights, sampled in any unbiased way: with and without replacement, and independently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import MEASURED, AssumptionRule, Family
from boundkit.verification.instance import Instance
from boundkit.verification.sampling import sampling_numbers
from boundkit.verification.surrogate import reweighted

_OWN = "sampled"
"""The prefix of the clients' loss with their own variances as weights."""


def _unbiased(theorem: Theorem, run: Run) -> str:
    try:
        sampling_numbers(run)
    except BoundkitError as error:
        return str(error).rstrip(".")
    return ""


def _arrange(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with unbiased aggregation."""
    if instance.options.get("aggregation") is not None:
        return instance
    return replace(instance, options={**instance.options, "aggregation": "unbiased"})


def _objectives(theorem: Theorem, run: Run) -> Mapping[str, Problem]:
    if not theorem.assumes("sampling-error") or _unbiased(theorem, run):
        return {}
    own = sampling_numbers(run).own
    return {_OWN: reweighted(run.problem, own / own.sum())} if own.sum() > 0 else {}


def _sampling_error(context: EvaluationContext) -> Constant:
    """The largest root of E V(grad F_1(x_t), ..., grad F_m(x_t)) along the run."""
    numbers, recorded = sampling_numbers(context.run), context.trajectory
    if numbers.own.sum() == 0:
        return Constant(0.0, "exact", "nothing is random in the participation")
    parts = [recorded.mean(f"{_OWN}_{name}") for name in ("dissimilarity", "gradient_norm_squared")]
    squares = numbers.own.sum() * sum(parts)
    variances = squares - numbers.slack.value * recorded.mean("gradient_norm_squared")
    variances = variances[: max(len(recorded.x) - 1, 1)]
    worst = int(np.argmax(variances))
    trust: Trust = "estimated" if recorded.random else "local"
    return Constant(
        float(max(variances[worst], 0.0)) ** 0.5, trust, f"largest along the run, at round {worst}"
    )


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Unequal weights under every scheme; large weights, few participants, and all clients."""
    if not theorem.assumes("unbiased-sampling"):
        return None
    p = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.07, 0.05, 0.03])
    q = np.array([0.1, 0.3, 0.05, 0.15, 0.1, 0.1, 0.1, 0.1])
    chances = [1.0, 0.9, 0.7, 0.5, 0.4, 0.3, 0.25, 0.2]
    unlike = Quadratic.random(8, 3, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0)).reweighted(p)
    alike = Quadratic.random(8, 3, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0))
    alike = alike.reweighted(p)
    noiseless = Quadratic.random(8, 3, seed=3, dense=True, spread=3.0, curvature=(0.05, 2.0)).reweighted(p)
    draws = {"kind": "with_replacement", "count": 2}
    uniform = {"kind": "uniform", "C": 0.25}
    independent = {"kind": "bernoulli", "probabilities": chances}

    def instance(name: str, problem: Problem, participation: Any, tau: int, **more: Any) -> Instance:
        x0 = np.full(problem.d, 2.0)
        settings = {"rounds": 200, "participation": participation, "x0": x0, **more}
        return Instance(name, problem, local_steps=tau, **settings)

    found = [
        instance("drawn by the weights", unlike, draws, 8, eta_s=2.0),
        instance("importance sampling", unlike, {**draws, "probabilities": q.tolist()}, 8),
        instance("independent participation", unlike, independent, 8),
        instance("without replacement", unlike, uniform, 8),
        instance(
            "all clients, no noise, many steps", noiseless.without_noise(), {"kind": "full"}, 64, rounds=100
        ),
        instance("one step", unlike, draws, 1, rounds=500, step=0.3),
        instance("one round", noiseless, independent, 4, rounds=1),
        instance("at the error floor", alike, uniform, 8, rounds=5000, step=0.1),
    ]
    if theorem.assumes("convex") or theorem.assumes("strongly-convex"):
        return found
    if theorem.assumes("polyak-lojasiewicz"):
        return found
    tilts = np.random.default_rng(4).standard_normal((8, 3))
    nonconvex = SmoothNonconvex(tilts - p @ tilts, p, noise=0.5)
    return [*found, instance("not convex", nonconvex, draws, 4, rounds=40)]


FAMILY = Family(
    assumptions={
        vocabulary.UNBIASED_SAMPLING: AssumptionRule(
            _unbiased, _arrange, frozenset({"aggregation", "probabilities"})
        ),
        vocabulary.SAMPLING_ERROR: MEASURED,
    },
    instances=default_instances,
    constants={
        notation.sampling_spread: lambda context: sampling_numbers(context.run).spread,
        notation.sampling_slack: lambda context: sampling_numbers(context.run).slack,
        notation.sampling_error: _sampling_error,
    },
    objectives=_objectives,
)
