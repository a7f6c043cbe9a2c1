"""Algorithms that are another one at some values of their quantities, whose instances are theirs too.

FedAvg with server momentum 0 is FedAvg, for instance. A theorem that is stated to become one of the plain
algorithm at these values is about the same runs there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.notation import beta_s, comp_noise, nesterov
from boundkit.attack.measurement import Measurement
from boundkit.theorems import catalogue

_PLAIN: Mapping[str, tuple[str, Mapping[Quantity, float]]] = {
    "fedavgm": ("fedavg", {beta_s: 0.0, nesterov: 0.0}),
    "fedpaq": ("fedavg", {comp_noise: 0.0}),
}
"""By algorithm the one that it is, at the values of these quantities."""


def special_cases(theorem: Theorem) -> Iterator[Theorem]:
    """Yield the theorems of the plain algorithm that a theorem becomes, with the same claim.

    >>> from boundkit.theorems import theorem
    >>> [other.name for other in special_cases(theorem("fedavgm_convex_partial"))]
    ['fedavg_convex_partial_sharp']
    """
    if theorem.algorithm not in _PLAIN:
        return
    plain, values = _PLAIN[theorem.algorithm]
    for reduction in theorem.reductions:
        other = catalogue().get(reduction.to)
        if (
            other is not None
            and reduction.holds
            and other.algorithm == plain
            and other.claim == theorem.claim
            and set(reduction.when) <= set(values)
            and set(theorem.quantities) <= {*other.quantities, *values}
        ):
            yield other


def as_special_case(theorem: Theorem, piece: Measurement, said: str) -> Measurement:
    """Return a measurement of the plain algorithm as one of the theorem's, whose runs are others."""
    values = _PLAIN[theorem.algorithm][1]
    more = {quantity.name: np.full_like(piece.low, value) for quantity, value in values.items()}
    return replace(piece, values={**piece.values, **more}, source={"said": said})
