"""Sequential test that confirms a sampled violation with fresh seeds.

The search selects the largest of thousands of sampled ratios, which biases its interval. A candidate is
therefore simulated again with new seeds, with more replicas at each look. A look at level alpha_k decides
"violated" where the low end of its one-sided interval exceeds the bound. All looks at all candidates of one
search spend at most ``ERROR`` in total: candidate j has ERROR/(j (j + 1)), and each look half of the
remainder, so that sampling noise marks a true theorem as violated with probability at most 1e-3 (as far as
means of many replicas are normal). Errors of estimated constants are not covered, and with them nothing is
called violated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from boundkit.algebra import Theorem
from boundkit.attack.evidence import Evidence, collect_evidence
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import EngineOptions

ERROR = 1e-3
LOOKS = (128, 512, 2048)
"""Replicas of the looks."""
_FRESH = 2**20
"""Seeds from here on are reserved for looks; the search uses smaller ones."""
Decision = Literal["violated", "not broken", "undecided"]


@dataclass(frozen=True)
class Confirmation:
    """The ratio with its one-sided ends, the number of replicas and the level."""

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
    engine_options: EngineOptions | None = None,
) -> Confirmation:
    """Simulate a run with more replicas at each look, until its last round is decided.

    A deterministic run is decided at once. Raises as ``collect_evidence`` does.
    """
    engine_options = engine_options or FastEngineOptions()
    left = error / (candidate * (candidate + 1))
    result: Confirmation | None = None
    for look, replicas in enumerate(LOOKS):
        alpha, left = left / 2, left / 2
        fresh = replace(run, seed=_FRESH + len(LOOKS) * (run.seed + candidate) + look)
        evidence = collect_evidence(
            theorem, fresh, replace(engine_options, replicas=replicas), level=1 - 2 * alpha
        )
        result = _decided(theorem, evidence, replicas, alpha)
        if result.decision != "undecided":
            break
    assert result is not None
    return result


def _decided(theorem: Theorem, evidence: Evidence, replicas: int, alpha: float) -> Confirmation:
    middle, above = (replace(evidence, low=end, high=start) for end, start in
                     ((evidence.measured, evidence.measured), (evidence.high, evidence.low)))  # fmt: skip
    low, ratio, high = (float(each.ratios(theorem)[-1]) for each in (evidence, middle, above))
    decision: Decision = (
        "violated" if low > 1 else "undecided" if high > 1 and evidence.random else "not broken"
    )
    return Confirmation(decision, ratio, low, high, replicas if evidence.random else 1, alpha, evidence)
