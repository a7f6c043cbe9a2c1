"""Conversion of a RUN.json's participation to a Strategy, where its shares depend on the model alone."""

from __future__ import annotations

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import Full, Participation, PowerOfChoice, Uniform, WithReplacement
from boundkit.simulation.selection.strategy import Strategy


def strategy_of(participation: Participation) -> Strategy:
    """The same selection as a Strategy, with its own probabilities.

    Raises BoundkitError for other kinds, for estimated or earlier losses (cpow, rpow), for
    the smallest losses, and for a varying number of candidates.
    """
    if isinstance(participation, WithReplacement):
        return Strategy(participation.count, replacement=True, chances=tuple(participation.p.tolist()))
    if isinstance(participation, (Uniform, Full)):
        m = participation.m
        return Strategy(
            participation.count if isinstance(participation, Uniform) else m, chances=(1 / m,) * m
        )
    if not isinstance(participation, PowerOfChoice):
        raise BoundkitError(
            f"{participation.kind} participation has no skew that is computed; power_of_choice, "
            f"with_replacement, uniform and full have."
        )
    if participation.variant != "pow" or participation.lowest:
        what = "the smallest losses" if participation.lowest else f"the variant {participation.variant!r}"
        raise BoundkitError(f"the skew is computed for the largest exact losses ('pow'), not for {what}.")
    if len(set(participation.d)) > 1:
        raise BoundkitError(
            f"the candidates change, d = {', '.join(map(str, participation.d))}: each has a skew of its own."
        )
    return Strategy(participation.count, participation.d[0], chances=tuple(participation.p.tolist()))
