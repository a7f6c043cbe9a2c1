"""``boundkit figure client_drift``."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made
from boundkit.cli.gallery.demonstration_figure import drawn


def make(asked: Asked) -> Made:
    """The demonstration client_drift, drawn."""
    return drawn(asked, "client_drift")
