"""``boundkit figure availability``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made
from boundkit.cli.gallery.demonstration_figure import drawn


def make(asked: Asked) -> Made:
    """The demonstration who_is_away, drawn."""
    return drawn(asked, "who_is_away")
