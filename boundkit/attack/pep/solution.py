"""Solution of the program: a guaranteed upper bound of the worst case, and an attained value."""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from time import perf_counter
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.pep.program import program_of
from boundkit.attack.pep.result import TOLERANCE
from boundkit.attack.pep.setting import Setting

SOLVER = "CLARABEL"
"""An interior-point solver that comes with cvxpy, a thousand times as accurate as PEPit's default SCS."""

_SETTINGS = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-9, "tol_feas": 1e-10}
"""Tight tolerances, since small values such as a drift must be accurate too."""

_DUST = 1e-5
"""Eigenvalues of the Gram matrix below this share of the largest are not counted as dimensions."""

_NOTHING = 1e-9
"""A worst case below this, in the program's units, is 0."""


@dataclass(frozen=True)
class Solution:
    """Solution in the program's units.

    ``guaranteed`` is the value of the dual, which nothing in the class exceeds, and ``attained`` that of the
    primal, up to rounding: the larger and the smaller of the two. ``dimension``: rank of the primal's Gram
    matrix; ``conditions``: number of inequalities.
    """

    guaranteed: float
    attained: float
    dimension: int
    conditions: int
    seconds: float

    @property
    def open(self) -> float:
        """Relative difference of the two values."""
        return abs(self.guaranteed - self.attained) / max(abs(self.guaranteed), abs(self.attained), _NOTHING)


def solve(theorem: Theorem, setting: Setting) -> Solution:
    """Solve the program.

    It is solved again where the values are too far apart, with the claim in units of the first result. Raises
    BoundkitError where the program is too large or has no finite solution.
    """
    first = _solved(theorem, setting, 1.0)
    if first is None:
        raise BoundkitError(
            f"the solver found no finite worst case of {theorem.name} here: its suppositions leave the "
            f"{theorem.claim.name} unbounded, or its constants are too far apart for the solver."
        )
    if first.open <= TOLERANCE or first.attained <= _NOTHING:
        return first
    again = _solved(theorem, setting, 100 / first.attained)
    return first if again is None or again.open > first.open else again


def _solved(theorem: Theorem, setting: Setting, scale: float) -> Solution | None:
    """The solution with the claim multiplied by ``scale`` on the way; None where there is none."""
    started = perf_counter()
    program, conditions = program_of(theorem, setting, scale)
    from cvxpy import SolverError  # after what refuses to go on without it

    with warnings.catch_warnings(), redirect_stdout(StringIO()):  # PEPit prints its doubts
        warnings.simplefilter("ignore")  # of accuracy, which the distance of the two values tells
        try:
            guaranteed = program.solve(verbose=0, solver=SOLVER, **_SETTINGS)
        except SolverError:
            return None
    if guaranteed is None or not np.isfinite(guaranteed):
        return None
    values = float(guaranteed) / scale, float(program.objective.eval()) / scale
    return Solution(
        guaranteed=max(values),
        attained=min(values),
        dimension=_rank(program.G_value),
        conditions=conditions,
        seconds=perf_counter() - started,
    )


def _rank(gram: Any) -> int:
    eigenvalues = np.linalg.eigvalsh(gram)
    return int((eigenvalues > _DUST * eigenvalues.max()).sum()) if eigenvalues.max() > 0 else 0
