"""What autodoc and cross-references need to know about boundkit's public names."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, TypeVar

from sphinx.util.nodes import make_refnode

from .python import anchors, named_in

LITERAL = re.compile(r"(``.+?``|`[^`]+`_?)")


def setup(app: Any) -> None:
    """Docstrings are plain text with formulas; annotations name classes by their short names."""
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-process-signature", _signature)
    app.connect("missing-reference", _reference)


def _docstring(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """A star is a product and a bar a norm, outside of ``code`` and of examples."""
    inside = False
    for place, line in enumerate(lines):
        inside = line.lstrip().startswith(">>>") or (inside and bool(line.strip()))
        if not inside:
            lines[place] = "".join(
                part if LITERAL.fullmatch(part) else re.sub(r"([*|\\]|_(?=\W|$))", r"\\\1", part)
                for part in LITERAL.split(line)
            )


def _signature(
    app: Any, what: str, name: str, value: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Defaults that can be read, and what a function returns by its full name: two are called Table."""
    if signature:
        signature = re.sub(r"= <.*?>", "= ...", signature)  # a factory has no form that could be read again
    if what == "function" and returns:
        full = {made.__name__: f"{made.__module__}.{made.__qualname__}" for made in named_in(value, "return")}
        returns = re.sub(r"(?<![\w.])\w+(?![\w.])", lambda word: full.get(word[0], word[0]), returns)
    return signature, returns


def _reference(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """A class by its short name or by the module that defines it, where a page has it; else plain text.

    A class of boundkit that no page has stays a warning.
    """
    target = str(node.get("reftarget"))
    if node.get("refdomain") != "py" or node.get("reftype") not in ("class", "obj", "exc"):
        return None
    known = [
        place for c, place in anchors().items() if target in (c.__name__, f"{c.__module__}.{c.__qualname__}")
    ]
    if len(known) == 1:
        page, anchor = known[0]
        return make_refnode(app.builder, node["refdoc"], page, anchor, contnode, target)
    return None if target.startswith("boundkit.") and not _is_variable(target) else contnode


def _is_variable(target: str) -> bool:
    """Whether a name is a type variable, which has no page."""
    module, _, name = target.rpartition(".")
    return isinstance(getattr(import_module(module), name, None), TypeVar)
