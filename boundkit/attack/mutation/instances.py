"""Further instances for mutants: other dissimilarity constants, and equal bounds of other algorithms.

A run determines beta = 1 with the kappa of its largest dissimilarity. The bound also holds with the pair of
constants on the whole space, with beta > 1, which gives weight to terms with beta^2 - 1. FedNova weighs
clients as the objective does, so that its runs do not test other weights; FedAvg with unequal steps has the
same bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from sympy import Pow

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T, beta, eta_s, kappa
from boundkit.attack.candidate import arrange_plan
from boundkit.attack.evidence import Evidence, collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.mutation.measurements import Measurement
from boundkit.attack.mutation.mutant_search import measure
from boundkit.attack.random_instances import allows_local_steps
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.theorems import catalogue
from boundkit.verification.context import objective_of_constants
from boundkit.verification.default_instances import build_run, default_instances
from boundkit.verification.dissimilarity import dissimilarity_everywhere
from boundkit.verification.instance import Instance


def with_global_dissimilarity(theorem: Theorem, piece: Measurement) -> list[Measurement]:
    """Return the measurement with beta and kappa on the whole space, where the theorem has both."""
    run = piece.source.get("run")
    if not isinstance(run, Run) or not {beta, kappa} <= set(theorem.quantities):
        return []
    try:
        slope, rest = (
            result.value
            for result in dissimilarity_everywhere(objective_of_constants(theorem, run)[0], run.x0)
        )
    except (BoundkitError, np.linalg.LinAlgError):
        return []
    if not slope > 1 or not np.isfinite(rest):
        return []
    values = {**piece.values, "beta": np.full_like(piece.low, slope), "kappa": np.full_like(piece.low, rest)}
    text = f"a run by the {piece.source.get('engine')} engine, with beta and kappa on all of space"
    return [replace(piece, values=values, source={**piece.source, "said": text})]


def equal_theorems(theorem: Theorem) -> Iterator[Theorem]:
    """Yield catalogued theorems that are stated to reduce to this one without change, and do.

    >>> from boundkit.theorems import theorem
    >>> [other.name for other in equal_theorems(theorem("fednova_nonconvex"))]
    ['fedavg_nonconvex_unequal_steps']
    """
    for other in catalogue().values():
        text = any(
            r.to == theorem.name and r.holds and not (r.when or r.factors or r.leaves)
            for r in other.reductions
        )
        if text and other.name != theorem.name and _alike(other, theorem):
            yield other


def _alike(one: Theorem, other: Theorem) -> bool:
    """Check whether claim, conditions and terms agree."""
    return (
        one.claim == other.claim
        and one.kind == other.kind
        and set(one.quantities) == set(other.quantities)
        and set(one.step_size) == set(other.step_size)
        and set(one.requires) == set(other.requires)
        and {t.label: t.expr for t in one.terms} == {t.label: t.expr for t in other.terms}
    )


_MANY, _ROUNDS = 16, 300
_LONG = 1000


def measure_directed_instances(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the measurements of these instances, where the theorem applies to them."""
    if theorem.rules or theorem.kind != "upper":
        return
    for kind in (_heaviest, _chosen, _falling, _started, _turns, _old):
        for plan in kind(theorem):
            for each in measure(partial(_made, theorem, plan)):
                yield replace(each, stage="verification")


def _made(theorem: Theorem, plan: Instance) -> Evidence:
    return collect_evidence(
        theorem, build_run(theorem, arrange_plan(theorem, plan)), FastEngineOptions(replicas=32)
    )


def _heaviest(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone where one client has most of the weight, for theorems with adaptive weights."""
    if not {"A_noise", "A_mean"} & {q.name for q in theorem.quantities}:
        return
    weights = np.full(_MANY, 0.02 / (_MANY - 1))
    weights[0] = 0.98
    bowl = Quadratic([1.0] * _MANY, np.zeros((_MANY, 1)), weights, noise=1.0)
    yield Instance("one client weighs most", bowl, local_steps=2, rounds=2000, x0=np.zeros(1), step=0.01)


def _chosen(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone, and different minimisers alone, from the optimum, while their errors grow."""
    if not theorem.assumes("biased-selection"):
        return
    base = next(iter(default_instances(theorem)))  # of curvature 1, as all here
    noisy = Quadratic([1.0] * _MANY, np.zeros((_MANY, 1)), noise=1.0)
    e = np.random.default_rng(0).standard_normal((_MANY, 1))
    apart = Quadratic([1.0] * _MANY, e - e.mean())
    falls = theorem.assumes("decaying-step")  # every round has a map of its own
    for problem in (noisy, apart):
        for participation in ({"kind": "with_replacement", "count": 1}, {"kind": "uniform", "C": 0.5}):
            plan = replace(
                base, problem=problem, local_steps=1, x0=np.zeros(1), rounds=60 if falls else _ROUNDS,
                participation=participation,
            )  # fmt: skip
            yield plan
            if isinstance(plan.eta, float):
                yield replace(plan, eta=0.02 * plan.eta)


def _falling(theorem: Theorem) -> Iterator[Instance]:
    """Heterogeneous clients at the optimum in one long round, where decreasing steps are largest."""
    if not theorem.assumes("decaying-step") or not allows_local_steps(theorem):
        return
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    yield Instance("one long round", line, _LONG, rounds=1, x0=line.centre)


def _started(theorem: Theorem) -> Iterator[Instance]:
    """The initial gap alone, with decreasing steps, and with small and large server steps."""
    bowl, one = Quadratic([1.0, 1.0], np.zeros((2, 1))), np.ones(1)
    if theorem.assumes("decaying-step") and not theorem.assumes("biased-selection"):
        yield Instance("a start, falling steps", bowl, rounds=100, x0=one)
    forgotten = any(T in p.exp.free_symbols for t in theorem.terms for p in t.expr.atoms(Pow))
    if forgotten and eta_s in theorem.quantities:
        for server in (0.05, 5.0):
            yield Instance("a start, the server's steps", bowl, rounds=_ROUNDS, x0=one, eta_s=server)


def _turns(theorem: Theorem) -> Iterator[Instance]:
    """Half of each of many groups that differ within and agree between, or the other way round."""
    if not theorem.assumes("cyclic-participation"):
        return
    taus = (1, 16) if allows_local_steps(theorem) else (1,)
    for groups in (4, 16):
        signs = np.tile([1.0, -1.0], groups)[:, None]
        inside = Quadratic([1.0] * 2 * groups, signs)
        outside = Quadratic([1.0] * 2 * groups, np.repeat(np.linspace(-1, 1, groups), 2)[:, None])
        for tau in taus:
            for problem, count in ((inside, {"count": 1}), (outside, {})):
                participation = {"kind": "cyclic", "groups": groups, **count}
                for step in (1.0, 0.1):
                    yield Instance(
                        "groups",
                        problem,
                        tau,
                        participation=participation,
                        rounds=20 * groups,
                        x0=np.zeros(1),
                        step=step,
                    )


def _old(theorem: Theorem) -> Iterator[Instance]:
    """Homogeneous noisy clients at the optimum with small steps, where staleness costs less than noise."""
    if theorem.algorithm != "fedawe" or theorem.claim.observable == "consensus":
        return
    bowl = Quadratic([1.0] * 2, np.zeros((2, 1)), noise=1.0)
    participation = {"kind": "bernoulli", "probabilities": [1.0, 1.0]}  # everybody, so that moments are exact
    yield Instance("noise", bowl, participation=participation, rounds=10_000, x0=np.zeros(1), step=0.05)
