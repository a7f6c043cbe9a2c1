"""A script in the percent format, run as a notebook would: cell by cell, with what each cell shows."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
SCRIPTS = sorted(FOLDER.glob("*.py"))

_CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Cell:
    """One cell: its text without the mark, and whether it is prose."""

    text: str
    prose: bool


def cells_of(script: Path) -> list[Cell]:
    """The cells, in order; what stands above the first is the header of jupytext."""
    _, *parts = _CELL.split(script.read_text(encoding="utf-8"))
    return [Cell(text, "markdown" in mark) for mark, text in zip(parts[::2], parts[1::2], strict=True)]


def run(script: Path) -> list[Any]:
    """What the cells show, one after another; a cell that ends in a semicolon shows nothing."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in cells_of(script):
        if cell.prose:
            continue
        body = ast.parse(cell.text).body
        last = body[-1] if isinstance(body[-1], ast.Expr) else None
        quiet = cell.text.rstrip().endswith(";")
        before = ast.Module(body if last is None else body[:-1], [])
        exec(compile(before, str(script), "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), str(script), "eval"), names)
            shown += [] if quiet else [value]
    return shown
