"""``boundkit figure surrogate_paths``."""

from __future__ import annotations

from boundkit.cli.gallery.asked import Asked, Made
from boundkit.cli.gallery.drawn import drawn


def make(asked: Asked) -> Made:
    """The demonstration surrogate_paths, drawn."""
    return drawn(asked, "surrogate_paths")
