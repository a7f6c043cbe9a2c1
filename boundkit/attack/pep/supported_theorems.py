"""Theorems for which an exact worst case is available: those whose assumptions the program states."""

from __future__ import annotations

from collections.abc import Iterable

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_BELOW,
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    CONVEX,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    GENERAL_SOLVER,
    HOMOGENEOUS_CLIENTS,
    LAST_DISTANCE,
    LAST_LOSS_GAP,
    LAST_SQUARED_DISTANCE,
    LIMIT_DISTANCE,
    MEAN_LOSS_GAP,
    MEAN_SQUARED_GRADIENT,
    NO_NOISE,
    ONE_LOCAL_STEP,
    OPTIMUM_DISSIMILARITY,
    PARTIAL_PARTICIPATION,
    SERVER_STEP_ONE,
    SMOOTH,
    STRONGLY_CONVEX,
    SURROGATE_GRADIENT,
    UNIFORM_DISSIMILARITY,
    VIRTUAL_LOSS_GAP,
    VIRTUAL_SQUARED_GRADIENT,
    WEIGHTED_OBJECTIVE,
)
from boundkit.report.formatting import join_names

UNDERSTOOD = frozenset(
    a.name
    for a in (
        SMOOTH,
        CONVEX,
        STRONGLY_CONVEX,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        CLIENTWISE_DISSIMILARITY,
        UNIFORM_DISSIMILARITY,
        OPTIMUM_DISSIMILARITY,
        BETA_KAPPA_DISSIMILARITY,
        HOMOGENEOUS_CLIENTS,
        EQUAL_WEIGHTS,
        WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION,
        PARTIAL_PARTICIPATION,
        COMMON_STEPS,
        ONE_LOCAL_STEP,
        GENERAL_SOLVER,
        SERVER_STEP_ONE,
    )
)
"""Names of the assumptions that the program states; noise is omitted, since a worst case has none."""

CLAIMED = frozenset(
    c.name
    for c in (
        MEAN_SQUARED_GRADIENT,
        SURROGATE_GRADIENT,
        VIRTUAL_SQUARED_GRADIENT,
        MEAN_LOSS_GAP,
        VIRTUAL_LOSS_GAP,
        LAST_LOSS_GAP,
        LAST_SQUARED_DISTANCE,
        LAST_DISTANCE,
        LIMIT_DISTANCE,
    )
)
"""Names of the claims that it measures."""

ALGORITHMS = ("fedavg", "fednova", "local_sgd", "minibatch_sgd")
"""The algorithms that it simulates."""


def unsupported_reason(theorem: Theorem) -> str | None:
    """Return why no exact worst case is available, as the end of a sentence; None where one is.

    >>> from boundkit.theorems import theorem
    >>> unsupported_reason(theorem("fedavg_convex"))
    >>> unsupported_reason(theorem("mifa_nonconvex"))
    "its algorithm is 'mifa', and known here are only the rounds of fedavg, fednova, ... and minibatch_sgd"
    """
    if theorem.kind not in ("upper", "tight"):
        return (
            f"it is {'an order' if theorem.kind == 'order' else 'a lower bound'}, no upper bound in numbers"
        )
    if theorem.algorithm not in ALGORITHMS:
        return (
            f"its algorithm is {theorem.algorithm!r}, and known here are only the rounds of "
            f"{join_names(list(ALGORITHMS))}"
        )
    if theorem.claim.name not in CLAIMED:
        return f"its claim, the {theorem.claim.name}, is not measured here"
    unknown = _unknown(a.name for a in theorem.assumptions)
    if unknown:
        return f"its assumption {unknown[0]!r} is not stated here"
    if not theorem.assumes(SMOOTH.name):
        return "it does not suppose smooth losses"
    return _quantity_reason(theorem)


def _quantity_reason(theorem: Theorem) -> str | None:
    """What must be among the letters of a theorem, and what must not."""
    names = {q.name for q in theorem.quantities}
    if "eta" not in names:
        return "it has put its step in already"
    if "distance" in names and not (theorem.assumes(CONVEX.name) or theorem.assumes(STRONGLY_CONVEX.name)):
        return "it measures the start from an optimum, which losses that are not convex need not have"
    return None


def _unknown(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in UNDERSTOOD]


def refuse_unsupported(theorem: Theorem) -> None:
    """Raise BoundkitError, with the reason, for a theorem without an exact worst case."""
    why = unsupported_reason(theorem)
    if why:
        raise BoundkitError(f"no exact worst case can be computed for {theorem.name}: {why}.")
