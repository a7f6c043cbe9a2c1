"""Whether what was found on sampled runs is there on fresh ones: a sequential test.

The search looks at thousands of sampled runs and keeps the largest, so that its own interval means little. A
candidate is run again with seeds that the search never saw, with more replicas at each look. A look at level
alpha_k says "violated" where the low end of its one-sided interval is above the bound. All looks at all
candidates of one search together spend at most ``ERROR``: candidate j has ERROR/(j (j + 1)), and look k of
it half of what is left, so that the noise of the measurement alone makes a true theorem violated with a
chance of at most 1e-3 (as far as means of many replicas are normal). The level covers nothing else: of
constants that are estimated it knows no error, and with them nothing is called violated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Evidence, evidence
from boundkit.attack.fast_rounds import Swift
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import EngineOptions

ERROR = 1e-3
LOOKS = (128, 512, 2048)
"""Replicas of the looks."""
_FRESH = 2**20
"""Seeds from here on are for looks; the search has smaller ones."""
Decision = Literal["violated", "not broken", "undecided"]


@dataclass(frozen=True)
class Confirmation:
    """What fresh runs said: the ratio with its one-sided ends, from how many replicas, at which level."""

    decision: Decision
    ratio: float
    low: float
    high: float
    replicas: int
    alpha: float
    evidence: Evidence


def confirm(
    theorem: Theorem,
    run: Run,
    *,
    candidate: int = 1,
    error: float = ERROR,
    machine: EngineOptions | None = None,
) -> Confirmation:
    """Run it again, with more replicas at each look, until it is decided; at its last round.

    A run of which nothing is sampled is a fact at once. Raises as ``evidence`` does.
    """
    machine = machine or Swift()
    left = error / (candidate * (candidate + 1))
    found: Confirmation | None = None
    for look, replicas in enumerate(LOOKS):
        alpha, left = left / 2, left / 2
        fresh = replace(run, seed=_FRESH + len(LOOKS) * (run.seed + candidate) + look)
        seen = evidence(theorem, fresh, replace(machine, replicas=replicas), level=1 - 2 * alpha)
        found = _decided(theorem, seen, replicas, alpha)
        if found.decision != "undecided":
            break
    assert found is not None
    return found


def _decided(theorem: Theorem, seen: Evidence, replicas: int, alpha: float) -> Confirmation:
    middle, above = (replace(seen, low=end, high=start) for end, start in
                     ((seen.measured, seen.measured), (seen.high, seen.low)))  # fmt: skip
    low, ratio, high = (float(each.ratios(theorem)[-1]) for each in (seen, middle, above))
    decision: Decision = "violated" if low > 1 else "undecided" if high > 1 and seen.random else "not broken"
    return Confirmation(decision, ratio, low, high, replicas if seen.random else 1, alpha, seen)
