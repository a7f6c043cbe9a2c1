"""Further instances for mutants: other dissimilarity constants, and equal bounds of other algorithms.

A run determines beta = 1 with the kappa of its largest dissimilarity. The bound also holds with the pair of
constants on the whole space, with beta > 1, which gives weight to terms with beta^2 - 1. FedNova weighs
clients as the objective does, so that its runs do not test other weights; FedAvg with unequal steps has the
same bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import beta, kappa
from boundkit.attack.mutation.measurements import Measurement
from boundkit.simulation.run import Run
from boundkit.theorems import catalogue
from boundkit.verification.context import objective_of_constants
from boundkit.verification.dissimilarity import dissimilarity_everywhere


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
