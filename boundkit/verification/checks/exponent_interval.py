"""The interval of a fitted exponent: conclusive where it excludes the exponent that is worse by 1/2."""

from __future__ import annotations

from collections.abc import Iterable

from boundkit.verification.checks.check import Outcome

TOLERANCE = 0.1
"""How far slopes may differ: sweeps are finite, and lower orders bend them a little."""
NEIGHBOUR = 0.5
"""Exponents of theorems are whole or half, so that a wrong one is off by this at least."""


def judge_exponent(off: float, margin: float, worse: Iterable[int]) -> tuple[Outcome, str]:
    """The outcome for a slope that is ``off`` its prediction, +- margin, and what to say besides.

    ``worse``: the directions, 1, -1 or both, in which it must not be off. Violated where it is off that way
    even at the near end of its interval; not tested where the interval would also hold an exponent that is
    half a power worse, or 0 beside a slope that is off.

    >>> judge_exponent(0.05, 0.2, (1,))
    ('holds', '')
    >>> judge_exponent(-1.0, 0.6, (1,))
    ('holds', ' (slack: the bound grows faster)')
    >>> [judge_exponent(off, margin, (1,))[0] for off, margin in [(0.05, 0.6), (0.3, 0.25), (0.3, 0.1)]]
    ['not tested', 'not tested', 'violated']
    """
    furthest = max(off * way for way in worse)
    if furthest - margin > TOLERANCE:
        return "violated", ""
    if furthest > TOLERANCE:
        return "not tested", ": off by less than its margin allows, which is too wide to tell"
    if furthest + margin >= NEIGHBOUR:
        return "not tested", ": too wide to tell, since an exponent that is 1/2 worse would also fit"
    return "holds", "" if abs(off) <= TOLERANCE else " (slack: the bound grows faster)"
