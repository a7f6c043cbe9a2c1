"""``boundkit figure fedexp_step``."""

from __future__ import annotations

from boundkit.cli.gallery.asked import Asked, Made
from boundkit.cli.gallery.drawn import drawn


def make(asked: Asked) -> Made:
    """The demonstration fedexp_step, drawn."""
    return drawn(asked, "fedexp_step")
