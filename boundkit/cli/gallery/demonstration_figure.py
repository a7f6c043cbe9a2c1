"""A figure that is its record and nothing else: no word changes what it shows."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import Asked, Made


def drawn(asked: Asked, demonstration: str) -> Made:
    """The record of a demonstration, drawn by ``boundkit/figures/NAME.py``.

    Raises BoundkitError where a word was given.
    """
    from importlib import import_module

    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import drawing, recorded

    if asked.words:
        raise BoundkitError(
            f"{asked.name} shows the demonstration {demonstration}, so {asked.words[0]!r} must not be given."
        )
    found, file = recorded(asked, demonstration)
    with drawing(asked.name, file):
        page = import_module(f"boundkit.figures.{asked.name}").figure(found, asked.preset)
    return Made(page, record=file, columns=found.columns)
