"""A page may hold the line <!-- generated: NAME -->; on the site the text of that name stands there.

On a code host the line is a comment that nobody sees; the sentence above it, which the text replaces as well,
says that it is written when the site is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

MARK = re.compile(
    r"^\*The (?:table|list|diagram) is written when the site is built: `make docs`(?:; [^*\n]*)?\.\*\n\n"
    r"<!-- generated: (\w+) -->$",
    re.MULTILINE,
)


def setup(app: Any) -> None:
    """Fill every page before it is parsed, and again where what writes it has changed."""
    app.connect("source-read", _fill)
    app.connect("env-get-outdated", _outdated)


def _outdated(app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    from .pictures import PACKAGE, RECORDS, code_of

    now = code_of(PACKAGE, RECORDS, Path(__file__).parent)
    if getattr(env, "boundkit_code", None) == now:
        return []
    env.boundkit_code = now
    return [page for page in env.found_docs if MARK.search(Path(env.doc2path(page)).read_text("utf-8"))]


def _fill(app: Any, docname: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def filled(text: str) -> str:
    """The Markdown of a page with what is generated in its place.

    Raises KeyError for a name that nothing generates.
    """
    return MARK.sub(lambda mark: generated()[mark[1]](), text)


@cache
def generated() -> dict[str, Callable[[], str]]:
    """What writes each text, by the name that pages call it by."""
    from . import (
        assumptions,
        atlas,
        catalogue,
        chapters,
        commands,
        drawn,
        errata,
        examples,
        mutants,
        notation,
        proofs,
        published,
        python,
    )

    return {
        "assumptions": assumptions.text,
        "atlas": atlas.text,
        "constants": atlas.both_sides,
        "chapters": chapters.text,
        "commands": commands.text,
        "gallery": examples.text,
        "mutants": mutants.text,
        "notation": notation.text,
        "errata": errata.text,
        "plan": drawn.plan,
        "proofs": proofs.text,
        **published.texts(),
        "python": python.text,
        "reductions": drawn.reductions,
        "lattice": drawn.lattice,
        "theorems": catalogue.text,
        "values": python.values,
    }
