"""``boundkit figure power_of_choice``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made
from boundkit.cli.gallery.demonstration_figure import drawn


def make(asked: Asked) -> Made:
    """The demonstration more_candidates, drawn."""
    return drawn(asked, "more_candidates")
