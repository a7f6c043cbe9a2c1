"""Inequalities at many points at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from sympy import Expr
from sympy.core.relational import Relational

from boundkit.analysis.evaluate import evaluate, satisfied

Array = NDArray[np.float64]


def sides(relation: Relational) -> tuple[Expr, Expr]:
    """The smaller and the larger side of an inequality."""
    return (relation.lhs, relation.rhs) if "<" in relation.rel_op else (relation.rhs, relation.lhs)


def met(relation: Relational, values: Mapping[str, Array], size: int) -> NDArray[np.bool_]:
    """At which points a relation holds, up to a relative 1e-12; inf is at most inf only."""
    holds = np.broadcast_to(satisfied(relation, values), (size,))
    # The tolerance of a comparison with inf is inf, and then everything would be true.
    small, large = (np.broadcast_to(evaluate(x, values), (size,)) for x in sides(relation))
    return np.asarray(holds & (~np.isposinf(small) | np.isposinf(large)))
