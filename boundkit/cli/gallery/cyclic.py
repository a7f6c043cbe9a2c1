"""``boundkit figure cyclic``."""

from __future__ import annotations

from boundkit.cli.gallery.asked import Asked, Made
from boundkit.cli.gallery.drawn import drawn


def make(asked: Asked) -> Made:
    """The demonstration turns, drawn."""
    return drawn(asked, "turns")
