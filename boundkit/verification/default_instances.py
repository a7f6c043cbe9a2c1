"""Default test problems of each theorem.

A theorem is tested on problems of its own class at the largest step size that it allows, and at smaller ones:
equal and different Hessians, with and without noise, one local step and many, short runs and runs at their
error floor, and non-convex losses where it covers them. Its assumptions arrange each instance so that it
satisfies them; its family may bring instances of its own. A theorem that joins the catalogue gets them all
without being named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.step_size import conditions_hold, largest, limit_at
from boundkit.simulation.engines import trajectory
from boundkit.simulation.engines.exact_observables import has_exact_local_moments
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.claims import add_observables
from boundkit.verification.constants import compute_constants, measure_constants
from boundkit.verification.context import run_settings
from boundkit.verification.families import FAMILIES
from boundkit.verification.instance import Instance

_CLIENTS, _DIMENSION = 8, 3
_DOUBLINGS = 24
_LONGEST = 20_000
"""Local steps of a run that has no exact moments; a rule for the steps may need more."""
_QUICK = 3


def _shared_hessian() -> Problem:
    return Quadratic.random(
        _CLIENTS, _DIMENSION, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0)
    )


def _heterogeneous() -> Problem:
    return Quadratic.random(_CLIENTS, _DIMENSION, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))


def _noiseless() -> Problem:
    return Quadratic.random(_CLIENTS, _DIMENSION, seed=3, dense=True, spread=3.0, curvature=(0.05, 2.0))


def _steep() -> Problem:
    return Quadratic([4.0] * _CLIENTS, np.zeros((_CLIENTS, 1)))


def _nonconvex() -> Problem:
    return SmoothNonconvex.random(_CLIENTS, _DIMENSION, seed=4, noise=0.5)


@dataclass(frozen=True)
class _Design:
    """A general instance: a problem, the configuration, and the step as a fraction of the largest allowed."""

    name: str
    problem: Callable[[], Problem]
    tau: int
    fraction_present: float
    eta_s: float
    step: float
    rounds: int


_DESIGNS = (
    _Design("equal Hessians, noise", _shared_hessian, 8, 0.25, 1.0, 1.0, 200),
    _Design("different Hessians, noise", _heterogeneous, 8, 0.25, 2.0, 1.0, 200),
    _Design("not convex, noise", _nonconvex, 4, 0.25, 1.0, 1.0, 150),
    _Design("different Hessians, no noise, many steps", _noiseless, 64, 1.0, 1.0, 1.0, 100),
    _Design("different Hessians, one step", _heterogeneous, 1, 0.5, 1.0, 0.3, 500),
    _Design("one round", _noiseless, 4, 0.5, 1.0, 1.0, 1),
    _Design("homogeneous clients, only the initial error", _steep, 4, 1.0, 1.0, 1.0, 20),
    _Design("at the error floor", _shared_hessian, 8, 0.25, 1.0, 0.1, 5000),
    _Design("not convex, no noise", _nonconvex, 16, 1.0, 1.0, 0.3, 60),
)


def default_instances(theorem: Theorem, seed: int = 0) -> Iterator[Instance]:
    """The instances of the theorem's family, arranged so that they satisfy its assumptions."""
    own = FAMILIES.instances(theorem)
    for instance in _general(theorem) if own is None else own:
        arranged: Instance | None = replace(instance, seed=seed)
        for rule in FAMILIES.rules_of(theorem):
            if arranged is not None and rule.arrange is not None:
                arranged = rule.arrange(theorem, arranged)
        if arranged is not None:
            yield arranged


def default_runs(theorem: Theorem, seed: int = 0, quick: bool = False) -> Iterator[tuple[str, Run]]:
    """The runs of the default instances, by name; with ``quick`` the first few."""
    for count, instance in enumerate(default_instances(theorem, seed)):
        if quick and count == _QUICK:
            return
        run = build_run(theorem, instance)
        moments = isinstance(run.problem, Quadratic) and (
            has_exact_local_moments(run) or not run.observes_local_steps
        )
        if moments or run.rounds * int(run.local_steps.max()) <= _LONGEST:
            yield instance.name, run


def build_run(theorem: Theorem, instance: Instance) -> Run:
    """The run of an instance at the step size that the theorem allows, or prescribes by a rule.

    Raises BoundkitError where no step is allowed.
    """
    if instance.eta is not None:
        return add_observables(theorem, instance.run(theorem.algorithm, instance.eta))
    first = add_observables(theorem, instance.run(theorem.algorithm, 1e-6))
    limits = {s.name for condition in theorem.step_size for s in condition.free_symbols}
    limits |= {s.name for rule in theorem.rules.values() for s in rule.free_symbols}
    constants = {n: c.value for n, c in compute_constants(first, theorem).items()}
    values = {q.name: q.typical for q in theorem.quantities} | constants | run_settings(first)
    values |= {} if first.tau is None else {"tau": first.tau}
    if not limits - {"eta", "eta_s"} <= set(constants) | set(run_settings(first)):
        measured = measure_constants(first, trajectory(first), theorem)
        values |= {n: c.value for n, c in measured.items()}
    if theorem.rules:
        return _by_rules(theorem, instance, values)
    eta = instance.step * float(limit_at(largest(theorem), values))
    if not (np.isfinite(eta) and eta > 0):
        raise BoundkitError(
            f"{theorem.name} does not limit the step size here; the instance {instance.name!r} must give one."
        )
    return add_observables(theorem, instance.run(theorem.algorithm, eta))


def _general(theorem: Theorem) -> Iterator[Instance]:
    names = {
        q.name for q in (*theorem.quantities, *(s for r in theorem.rules.values() for s in r.free_symbols))
    }
    for design in _DESIGNS:
        problem = design.problem()
        if "no noise" in design.name:
            problem.noise = 0.0
        if (theorem.assumes("convex") or theorem.assumes("strongly-convex")) and not problem.convexity()[0]:
            continue
        yield Instance(
            design.name,
            problem,
            local_steps=design.tau if "tau" in names else 1,
            present=design.fraction_present if "C" in names else 1.0,
            eta_s=design.eta_s if "eta_s" in names else 1.0,
            step=design.step,
            rounds=design.rounds,
            x0=np.full(problem.d, 2.0),
        )


def _by_rules(theorem: Theorem, instance: Instance, values: dict[str, float]) -> Run:
    """The run at the theorem's own steps, long enough to meet its conditions."""
    for _ in range(_DOUBLINGS):
        if conditions_hold(theorem, values):
            break
        values["T"] *= 2
    steps = {q.name: float(evaluate(rule, values)) for q, rule in theorem.rules.items()}
    eta = steps.pop("eta", instance.eta)
    return add_observables(theorem, instance.run(theorem.algorithm, eta, **steps, rounds=int(values["T"])))
