"""Instances for rare regimes, each of which lets one term dominate its bound for a while.

Noise of client selection before it converges, one long round of decreasing steps, many groups of few clients,
and stale models of clients with noise alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from sympy import Pow

from boundkit.algebra import Theorem
from boundkit.algebra.notation import T, eta_s
from boundkit.attack.candidate import arrange_plan
from boundkit.attack.evidence import Evidence, collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.mutation.measurements import Measurement
from boundkit.attack.mutation.mutant_search import measure
from boundkit.attack.random_instances import allows_local_steps
from boundkit.simulation.problems import Quadratic
from boundkit.verification.default_instances import build_run, default_instances
from boundkit.verification.instance import Instance

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
