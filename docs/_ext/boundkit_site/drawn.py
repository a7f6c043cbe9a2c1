"""The two pictures of the theory pages, and that of a plan."""

from __future__ import annotations

from .pictures import picture, shown


def reductions() -> str:
    """The graph of all reductions."""
    return shown(picture("reductions"), "a graph: theorems, and arrows to those that they become")


def lattice() -> str:
    """All assumptions."""
    return shown(
        picture("assumptions"), "assumptions by subject, with arrows from the stronger to the weaker"
    )


def plan() -> str:
    """The example of a plan."""
    return shown(picture("plan"), "time to a target against local steps, with regions; a map of stability")
