"""A figure that is its record and nothing else: no word changes what it shows."""

from __future__ import annotations

from boundkit.cli.gallery.arguments import FigureRequest, FigureResult


def drawn(request: FigureRequest, demonstration: str) -> FigureResult:
    """The record of a demonstration, drawn by ``boundkit/figures/NAME.py``.

    Raises BoundkitError where a word was given.
    """
    from importlib import import_module

    from boundkit.algebra import BoundkitError
    from boundkit.cli.gallery.recorded import drawing, recorded

    if request.words:
        raise BoundkitError(
            f"{request.name} shows the demonstration {demonstration}, so {request.words[0]!r} must not be "
            "given."
        )
    result, file = recorded(request, demonstration)
    with drawing(request.name, file):
        page = import_module(f"boundkit.figures.{request.name}").figure(result, request.preset)
    return FigureResult(page, record=file, columns=result.columns)
