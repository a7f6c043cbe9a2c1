"""``boundkit figure clipping``."""

from __future__ import annotations

from boundkit.cli.gallery.asked import Asked, Made
from boundkit.cli.gallery.drawn import drawn


def make(asked: Asked) -> Made:
    """The demonstration clipping, drawn."""
    return drawn(asked, "clipping")
