"""What a run would cost a search: counted from its settings and not timed, so that all machines agree."""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.fast_rounds import at_once
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.claims import needs_step_engine

DEAR, FAIR = 1200.0, 350.0
"""Above the first a run is refused; a random start is made no longer than the second. About milliseconds."""
_ROUND, _STEP, _INSIDE = 1.2, 0.12, 1.0
"""Of a run that takes every step: a round, a local step, a local step that is looked at."""
_MOMENTS, _MAP = 0.02, 3.0
"""Of exact moments: a round, and the map of a round."""
_PROBE = 1.0
"""And a local step of an algorithm that remembers, which is taken to see its map."""
_POWERS, _POWER = 0.15, 1e-4
"""Of rounds whose local steps are seen at once: a round, and a coordinate of a local model."""
_STATE = 18
"""Coordinates of clients and server, in all, up to which an algorithm that remembers has moments here."""


class TooLong(BoundkitError):
    """A run that would take too long for a search."""


def price(theorem: Theorem, run: Run) -> float:
    """About how many milliseconds the run would take, to tell what the theorem claims."""
    tau, m, d = int(run.local_steps.max()), run.problem.m, run.problem.d
    if at_once(run):
        return run.rounds * (_POWERS + tau * m * d * _POWER)
    exact = (
        isinstance(run.problem, Quadratic) and run.algorithm.affine and not needs_step_engine(theorem, run)
    )
    if exact and not run.algorithm.memoryless:
        size = d * (m + 1)
        exact = size <= _STATE
        if exact:
            return _MAP + tau * _PROBE + run.rounds * _MOMENTS * max(1.0, (size / 6) ** 3)
    if exact:
        maps = min(run.period, run.rounds) * (tau if run.looks_inside else 1)
        return _MAP * maps + run.rounds * _MOMENTS * (tau if run.looks_inside else 1)
    if run.algorithm.settings.get("exact"):  # minimised by formula
        tau = 1
    inside = _INSIDE if run.looks_inside or run.local_spread else 0.0
    return run.rounds * (_ROUND + tau * (_STEP + inside))


def refuse_long(theorem: Theorem, run: Run, most: float = DEAR) -> None:
    """Raise TooLong where a search has no time for the run."""
    if price(theorem, run) > most:
        raise TooLong("it would take too long.")
