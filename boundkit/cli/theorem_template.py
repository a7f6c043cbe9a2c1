"""The file that a user's own theorem begins as: a whole theorem, with their name in place of its own."""

from __future__ import annotations

import ast
import re
from datetime import date
from importlib.resources import files

TEMPLATE = "_template"
_SOURCE = """\
Source(
        authors=("Your Name",),
        year={year},
        title="Your Note",
        arxiv="",
        where="Theorem 1",
        venue="unpublished",
    )"""
_WIDTH, _GONE = 110, "\0"


def started(name: str, like: str | None = None) -> str:
    """The text of a file with a theorem called ``name``; ``like`` names the theorem it is a copy of.

    The source is emptied for the user to fill. Raises BoundkitError for a name that is malformed or taken,
    and for an unknown ``like``.
    """
    refuse_name(name)
    text = _text(TEMPLATE if like is None else like)
    call = _statement(ast.parse(text))
    given = {each.arg: each.value for each in call.keywords if each.arg}
    source = _SOURCE.format(year=date.today().year)
    # A theorem that is another with some words changed may take its source from that one.
    changes = [(given["name"], f'"{name}"' if "source" in given else f'"{name}",\n    source={source}')]
    if "source" in given:
        changes.append((given["source"], source))
    for node, words in sorted(changes, key=lambda change: -change[0].lineno):
        text = _replaced(text, node, words)
    return _with_needed_imports(text)


def refuse_name(name: str) -> None:
    """Say of a name that it is malformed, or that a theorem of the catalogue has it."""
    from dataclasses import replace
    from difflib import get_close_matches

    from boundkit.algebra import BoundkitError
    from boundkit.theorems import names, theorem

    replace(theorem("sgd_nonconvex"), name=name)  # a theorem refuses a malformed name in its own words
    if name in names():
        near = [n for n in get_close_matches(name, names(), n=4, cutoff=0.6) if n != name]
        others = f", and near it are {', '.join(near)}" if near else ""
        raise BoundkitError(
            f"the catalogue has a theorem called {name!r}{others}; give yours another name, "
            f"and --like {name} to start from that one."
        )


def _text(name: str) -> str:
    from boundkit.algebra import BoundkitError
    from boundkit.theorems import theorem

    if name != TEMPLATE:
        theorem(name)  # says what is near a name that is not there
    try:
        return (files("boundkit.theorems") / f"{name}.py").read_text(encoding="utf-8")
    except OSError:
        raise BoundkitError(f"the text of {name} was not installed, so that there is none to copy.") from None


def _statement(tree: ast.Module) -> ast.Call:
    """The call that builds THEOREM."""
    found = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "THEOREM"
    ]
    if len(found) != 1 or not isinstance(found[0], ast.Call):
        raise TypeError("a file of the catalogue builds one THEOREM by one call")
    return found[0]


def _replaced(text: str, node: ast.expr | ast.stmt, words: str) -> str:
    lines = text.encode().splitlines(keepends=True)  # ast counts columns in bytes
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset or 0 :]
    return b"".join([*lines[:first], before, words.encode(), after, *lines[last + 1 :]]).decode()


def _with_needed_imports(text: str) -> str:
    """The text with Source imported, and without names that only the old source spoke of."""
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    for node in reversed(imports):
        kept = [each for each in node.names if (each.asname or each.name) in used]
        if node.module == "boundkit.algebra" and "Source" not in {each.name for each in kept}:
            kept.append(ast.alias("Source"))
        if len(kept) != len(node.names) or any(each not in node.names for each in kept):
            text = _replaced(text, node, _imported(node.module or "", kept))
    return re.sub(r"\n{2}\n+(?=from |import )", "\n\n", re.sub(f"^{_GONE}\n", "", text, flags=re.MULTILINE))


def _imported(module: str, names: list[ast.alias]) -> str:
    said = sorted((f"{n.name} as {n.asname}" if n.asname else n.name for n in names), key=_order)
    if not said:
        return _GONE
    line = f"from {module} import {', '.join(said)}"
    if len(line) <= _WIDTH:
        return line
    return f"from {module} import (\n    " + ",\n    ".join(said) + ",\n)"


def _order(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then the rest, as ruff sorts them."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2, name)
