"""``boundkit new-theorem``: a file that is a whole theorem, to be made one's own."""

from __future__ import annotations

import ast
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json

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
_REMOVED = "\0"


def run(
    name: Annotated[str, typer.Argument(help="what the theorem is called, as in my_sgd_nonconvex")],
    like: Annotated[
        str | None, typer.Option(metavar="THEOREM", help="start from this theorem of boundkit list")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="write here; NAME.py in this folder by default")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable: what was written")] = False,
) -> None:
    """Write FILE.py with a theorem to change into your own."""
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text

    path = Path(f"{name}.py") if out is None else out
    if path.suffix != ".py":
        raise BoundkitError(f"{path} does not end in .py, as a file of theorems does.")
    refuse_unwritable(path)
    text = theorem_file(name, like)
    if path.exists():
        raise BoundkitError(f"{path} is there already and stays as it is; give another file with --out.")
    write_text(path, text)
    if as_json:
        print_json({"theorem": name, "like": like, "written": str(path)})
    else:
        emit(f"{path} states {like or 'the bound of FedAvg'} under your name; change it, then\n"
             f"  boundkit check {path}")  # fmt: skip


def theorem_file(name: str, like: str | None = None) -> str:
    """The text of a file with a theorem called ``name``; ``like`` names the theorem it is a copy of.

    The source is emptied for the user to fill. Raises BoundkitError for a name that is malformed or taken,
    and for an unknown ``like``.
    """
    refuse_name(name)
    text = _text(TEMPLATE if like is None else like)
    call = _statement(ast.parse(text))
    given = {each.arg: each.value for each in call.keywords if each.arg}
    source = _SOURCE.format(year=date.today().year)
    named = next(a for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
    # A variant of another theorem may take its source from that one.
    changes: list[tuple[ast.expr, str]] = [
        (named, f'"{name}"' if "source" in given else f'"{name}",\n    source={source}')
    ]
    changes += [(given["title"], '"Your title"')]
    changes += [(given["source"], source)] if "source" in given else []
    for node, words in sorted(changes, key=lambda change: -change[0].lineno):
        text = _replaced(text, node, words)
    return _without_unused_imports(text)


def refuse_name(name: str) -> None:
    """Refuse a malformed name, and one that a theorem of the catalogue has."""
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
        theorem(name)  # names what is similar to an unknown name
    try:
        return (files("boundkit.theorems") / f"{name}.py").read_text(encoding="utf-8")
    except OSError:
        raise BoundkitError(f"the text of {name} was not installed, so that there is none to copy.") from None


def _statement(tree: ast.Module) -> ast.Call:
    """The call that builds THEOREM."""
    calls = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "THEOREM"
    ]
    if len(calls) != 1 or not isinstance(calls[0], ast.Call):
        raise TypeError("a file of the catalogue builds one THEOREM by one call")
    return calls[0]


def _replaced(text: str, node: ast.expr | ast.stmt, words: str) -> str:
    lines = text.encode().splitlines(keepends=True)  # ast counts columns in bytes
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset or 0 :]
    return b"".join([*lines[:first], before, words.encode(), after, *lines[last + 1 :]]).decode()


def _without_unused_imports(text: str) -> str:
    """The text without imports of theorems that only the old source used."""
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    for node in reversed(imports):
        if not any(each.name == "*" or (each.asname or each.name) in used for each in node.names):
            text = _replaced(text, node, _REMOVED)
    return text.replace(f"{_REMOVED}\n", "")
