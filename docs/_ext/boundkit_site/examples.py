"""The gallery, executed: every figure with the command that draws it."""

from __future__ import annotations

import shlex

from boundkit.figures.gallery import GALLERY

from .pictures import picture, shown


def text() -> str:
    """A section a figure."""
    return "\n\n".join(_section(name) for name in GALLERY)


def command(name: str) -> str:
    """What a reader types."""
    return shlex.join(["boundkit", "figure", name, *GALLERY[name].example])


def _section(name: str) -> str:
    shows = GALLERY[name].shows
    return "\n\n".join(
        [
            f"## {name}",
            f"{shows[0].upper()}{shows[1:]}.",
            shown(picture(name, *GALLERY[name].example), shows),
            f"```console\n$ {command(name)}\n```",
        ]
    )
