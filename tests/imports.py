"""Reads what a Python file imports, without running it."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

WITHOUT_IMPORTS = (ast.Name, ast.Constant, ast.expr_context, ast.operator, ast.alias, ast.arg, ast.cmpop)
"""Nodes with no import inside."""


@dataclass(frozen=True)
class Import:
    file: Path
    line: int
    target: str  # absolute and dotted, down to the imported name: boundkit.algebra.notation.tau
    inside_function: bool
    for_types: bool  # under ``if TYPE_CHECKING``, so never executed


@cache
def imports_of(file: Path, root: Path) -> list[Import]:
    """Every import of `file`, wherever it stands; relative ones are resolved against `root`."""
    parts = file.relative_to(root).parts
    package = parts[:-1]  # of a module, and of an __init__.py alike
    found: list[Import] = []

    def collect(node: ast.AST, inside: bool, for_types: bool) -> None:
        for target in _targets(node, package):
            found.append(Import(file, getattr(node, "lineno", 0), target, inside, for_types))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for_types = for_types or (isinstance(node, ast.If) and _last_name(node.test) == "TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, WITHOUT_IMPORTS):
                collect(child, inside, for_types)

    collect(ast.parse(file.read_text(encoding="utf-8")), False, False)
    return found


def _targets(node: ast.AST, package: tuple[str, ...]) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _resolve(module or "", level, package)
            return [f"{base}.{alias.name}" for alias in names]
        case ast.Call(func=func, args=[name, *_]) if _last_name(func) in ("import_module", "__import__"):
            text = _leading_text(name)
            level = len(text) - len(text.lstrip("."))
            return [_resolve(text[level:], level, package)] if text else []
    return []


def _resolve(module: str, level: int, package: tuple[str, ...]) -> str:
    above = package[: len(package) - level + 1] if level else ()
    return ".".join(part for part in (*above, module) if part)


def _last_name(func: ast.expr) -> str:
    match func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _leading_text(name: ast.expr) -> str:
    """What import_module is given, as far as it can be read: "a.b" whole, f"a.{x}" up to the brace."""
    match name:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text.rstrip(".") if text.strip(".") else text
    return ""
