"""The gallery, executed: every figure with the command that draws it."""

from __future__ import annotations

import shlex

from boundkit.figures.gallery import GALLERY

from .pictures import picture, shown


def text() -> str:
    """A section a figure."""
    return "\n\n".join(_section(name) for name in GALLERY)


def commands(name: str) -> list[str]:
    """What a reader types, for each example of a figure."""
    return [
        shlex.join(["boundkit", "figure", name, *words]) for words in GALLERY[name].examples(name).values()
    ]


def _section(name: str) -> str:
    shows = GALLERY[name].shows
    parts = [f"### {name}", f"{shows[0].upper()}{shows[1:]}."]
    for words, line in zip(GALLERY[name].examples(name).values(), commands(name), strict=True):
        parts += [shown(picture(name, *words), shows), f"```console\n$ {line}\n```"]
    return "\n\n".join(parts)
