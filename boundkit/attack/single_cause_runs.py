"""One cause alone, in a run that ends: what slopes are fitted on, long enough to have settled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate_run import run_of, shorter
from boundkit.attack.problem_families import works
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.verification.instance import Instance

_ROUNDS, _TAU = 10_000, 1000


def causes(theorem: Theorem) -> Iterator[Instance]:
    """Noise, absence, and drift from the point where it rests, each for many rounds at the largest step.

    None where rounds follow from steps, where steps fall, or where the bound has one term.
    """
    if theorem.rules or theorem.assumes("decaying-step") or len(theorem.bound.terms) == 1:
        return
    noisy = Quadratic([1.0, 1.0], np.zeros((2, 1)), noise=1.0)
    opposite = Quadratic([1.0, 1.0], [[1.0], [-1.0]])
    plan = Instance("noise alone, settled", noisy, rounds=_ROUNDS, x0=np.zeros(1))
    yield plan
    if "C" in {q.name for q in theorem.quantities}:
        yield replace(plan, name="absence alone, settled", problem=opposite, present=0.5)
    if works(theorem) and algorithm(theorem.algorithm).memoryless:
        line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
        drift = replace(plan, name="drift alone, settled", problem=line, local_steps=_TAU, x0=line.centre)
        settled = _settled(theorem, shorter(theorem, drift))
        if settled is not None:
            yield settled


def _settled(theorem: Theorem, plan: Instance) -> Instance | None:
    """The plan from where it rests; None where nothing rests, or where the theorem does not speak of it."""
    try:
        return replace(plan, x0=fixed_point(run_of(theorem, plan)).points[0])
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return None
