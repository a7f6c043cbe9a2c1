"""Which theorems may stand on one scale, and what to say where they are not quite alike."""

from __future__ import annotations

from collections.abc import Sequence

from boundkit.algebra import BoundkitError, Claim, Theorem
from boundkit.report.formatting import join_names

MEASURED: dict[str, str] = {
    "gradient_norm_squared": "a squared gradient",
    "gradient_norm": "the norm of a gradient",
    "loss_gap": "a loss gap",
    "distance_squared": "a squared distance",
    "distance": "a distance",
    "spread": "how far models lie apart",
    "clipped_decrease": "a clipped decrease",
}
"""What an observable measures, by the end of its name; before it stands where it is measured."""


def measured(claim: Claim) -> str:
    """What a claim is about, whatever the iterate and however rounds are summed up.

    >>> from boundkit.algebra.vocabulary import LAST_SQUARED_DISTANCE
    >>> measured(LAST_SQUARED_DISTANCE)
    'a squared distance'
    """
    ends = [end for end in MEASURED if claim.observable.endswith(end)]
    return MEASURED[max(ends, key=len)] if ends else claim.observable


def check_comparable(theorems: Sequence[Theorem]) -> None:
    """Raise BoundkitError where two theorems bound unlike things."""
    first, *others = theorems
    for other in others:
        one, two = first.claim, other.claim
        if one.dimension != two.dimension:
            raise BoundkitError(
                f"{first.name} bounds the {one.name} ({one.dimension}), but {other.name} the {two.name} "
                f"({two.dimension}): unlike things have no order."
            )
        if measured(one) != measured(two) or (one.summary == "first") != (two.summary == "first"):
            raise BoundkitError(
                f"{first.name} bounds the {one.name}, but {other.name} the {two.name}: they have one unit, "
                f"yet one is {measured(one)} and the other {measured(two)}, so neither is below the other."
            )


def open_constants(theorem: Theorem) -> bool:
    """Whether the bound is known up to constants only, so that it has no scale in common with another."""
    return theorem.order_level


def remarks(theorems: Sequence[Theorem]) -> list[str]:
    """What a reader of the comparison must know: unlike claims, unlike kinds, open constants, assumptions."""
    found = []
    claims = {t.claim.name: [u.name for u in theorems if u.claim == t.claim] for t in theorems}
    if len(claims) > 1:
        said = "; ".join(f"{join_names(names)}: the {claim}" for claim, names in claims.items())
        found.append(f"not quite the same is bounded, so lower need not mean better. {said}.")
    order = [t.name for t in theorems if open_constants(t)]
    if order:
        found.append(
            f"{join_names(order)} up to constants: only how the totals scale means anything, since order "
            "bounds have no common scale with the others."
        )
    lower = [t.name for t in theorems if t.kind == "lower"]
    if lower:
        found.append(f"{join_names(lower)} from below: no method of its class does better.")
    sets = {t.name: {a.name: None for a in t.assumptions} for t in theorems}
    for name, own in sets.items():
        alone = [a for a in own if all(a not in other for n, other in sets.items() if n != name)]
        if alone:
            found.append(f"only {name} assumes {join_names(alone)}.")
    return found
