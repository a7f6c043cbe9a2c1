"""``boundkit figure partial_participation``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made
from boundkit.cli.gallery.demonstration_figure import drawn


def make(asked: Asked) -> Made:
    """The demonstration memory_floors, drawn."""
    return drawn(asked, "memory_floors")
