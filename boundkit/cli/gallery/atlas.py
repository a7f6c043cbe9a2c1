"""``boundkit figure atlas``."""

from __future__ import annotations

from boundkit.cli.gallery.asked import Asked, Made


def make(asked: Asked) -> Made:
    """The tightness atlas: its record, or the kept worst instances replayed."""
    from boundkit.attack.atlas import NAME, record
    from boundkit.cli.gallery.recorded import drawing, recorded
    from boundkit.figures.atlas import figure

    asked.no_words()
    found, file = recorded(asked, NAME, record)
    with drawing(asked.name, file):
        return Made(figure(found, asked.preset), record=file, columns=found.columns)
