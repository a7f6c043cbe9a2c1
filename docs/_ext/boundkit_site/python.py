"""The Python face: every public name, the classes that a user receives, and those inside of them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, get_args

import boundkit

RUN = "Simulate and verify"
BREAK = "Try to break a theorem"
GROUPS = {
    "Theorems": "The catalogue, and the value that a theorem is.",
    "Ask a theorem": "Each takes a theorem or its name, and values by [their keywords](notation.md).",
    RUN: "An algorithm on a problem: what it does, and whether the bound held.",
    BREAK: "What it does not survive, and how close it comes: [how we try to break it](breaking.md).",
    "Problems": "Clients' losses with constants that are known.",
    "Mistakes": "What every function raises where it cannot answer.",
}
"""Titles of the page, with a sentence each."""

INGREDIENTS = ("Term", "Source", "Reduction", "Limit", "Claim", "Assumption", "Quantity")
"""What one needs to write a theorem, from boundkit.algebra."""


def home(name: str) -> Any:
    """The function or class behind a public name."""
    return inspect.unwrap(getattr(boundkit, name))


def group(name: str) -> str:
    """The title under which a public name stands."""
    value = home(name)
    if inspect.isclass(value) and issubclass(value, Exception):
        return "Mistakes"
    if value.__module__.startswith("boundkit.simulation.problems"):
        return "Problems"
    if name in ("Theorem", "catalogue", "symbols", "theorem"):
        return "Theorems"
    modules = [value.__module__, *(made.__module__ for made in named_in(value, "return"))]
    if any(m.startswith(("boundkit.attack", "boundkit.proofs")) for m in modules):
        return BREAK
    runs = any(
        m.startswith(("boundkit.simulation", "boundkit.verification", "boundkit.studies", "boundkit.figures"))
        for m in modules
    )
    return RUN if runs else "Ask a theorem"


def named_in(value: Any, *which: str) -> list[type]:
    """The classes of boundkit in the annotations of a function or class: all of them, or those named."""
    annotations = inspect.get_annotations(value)
    words = " ".join(str(annotations.get(name, "")) for name in which or annotations)
    homes = _imports(value.__module__)
    for alias, meaning in _unions(value.__module__).items():
        words = re.sub(rf"\b{alias}\b", meaning, words)
    found = [getattr(import_module(homes[w]), w, None) for w in re.findall(r"\w+", words) if w in homes]
    return list(dict.fromkeys(c for one in found for c in _classes(one)))


def _classes(value: Any) -> Iterator[type]:
    """The class itself, or the classes of boundkit in an alias such as str | Formula."""
    if inspect.isclass(value) and value.__module__.startswith("boundkit"):
        yield value
    for part in get_args(value):
        yield from _classes(part)


@cache
def _unions(module: str) -> dict[str, str]:
    """Names that a module gives to unions of classes for types alone, with what they stand for."""
    tree = ast.parse(inspect.getsource(import_module(module)))
    return {
        target.id: ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.op, ast.BitOr)
    }


@cache
def _imports(module: str) -> dict[str, str]:
    """The names of boundkit that a module imports or defines, also for types alone, with their modules."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(inspect.getsource(import_module(module)))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("boundkit"):
            found |= {name.name: str(node.module) for name in node.names}
        elif isinstance(node, ast.ClassDef):
            found[node.name] = module
    return found


def _inside(value: type) -> Iterator[type]:
    """The classes of boundkit that a class is built on, and that its fields and methods refer to."""
    yield from (base for base in value.__bases__ if base.__module__.startswith("boundkit"))
    yield from named_in(value)
    for name, member in vars(value).items():
        if name == "__init__" or not name.startswith("_"):
            for wraps in ("fget", "func", "__func__"):
                member = getattr(member, wraps, member)
            if isinstance(member, FunctionType):
                yield from named_in(member)


@cache
def public() -> dict[str, type]:
    """The classes among the public names, by the name of their anchor."""
    return {f"boundkit.{name}": home(name) for name in boundkit.__all__ if inspect.isclass(home(name))}


@cache
def received() -> dict[str, type]:
    """The classes that public functions return, a Run, and what a theorem is made of, by full name."""
    functions = [home(name) for name in boundkit.__all__ if inspect.isroutine(home(name))]
    algebra = import_module("boundkit.algebra")
    quantity = import_module("boundkit.algebra.quantity")
    made = [c for f in functions for c in named_in(f, "return")]
    made += [import_module("boundkit.simulation.run").Run]
    made += [getattr(algebra, n, None) or getattr(quantity, n) for n in INGREDIENTS]
    return _sorted(c for c in made if c not in public().values())


@cache
def inner() -> dict[str, type]:
    """All that those refer to, and so on, by full name."""
    known = {*public().values(), *received().values()}
    todo = list(known)
    found: set[type] = set()
    while todo:
        new = {c for c in _inside(todo.pop()) if not c.__name__.startswith("_")} - known
        known |= new
        found |= new
        todo += new
    return _sorted(found)


def _sorted(classes: Any) -> dict[str, type]:
    ordered = sorted(set(classes), key=lambda c: (c.__name__, c.__module__))
    return {f"{c.__module__}.{c.__qualname__}": c for c in ordered}


@cache
def anchors() -> dict[type, tuple[str, str]]:
    """The page and the anchor of every class."""
    values = {c: ("values", full) for full, c in (received() | inner()).items()}
    return values | {c: ("python", full) for full, c in public().items()}


def text() -> str:
    """The page of functions: a section a group."""
    titles: dict[str, list[str]] = {title: [] for title in GROUPS}
    for name in boundkit.__all__:
        titles[group(name)].append(name)
    parts = []
    for title, names in titles.items():
        parts += [f"## {title}", GROUPS[title], _autodoc(_directive(name) for name in names)]
    return "\n\n".join(parts)


def values() -> str:
    """The page of classes: those received, then those inside."""
    return "\n\n".join(
        [
            "## What is handed back",
            _autodoc(_class(full) for full in received()),
            "## What is inside of it",
            _autodoc(_class(full) for full in inner()),
        ]
    )


def _directive(name: str) -> str:
    value = home(name)
    if not inspect.isroutine(value) and not inspect.isclass(value):
        return f".. autodata:: boundkit.{name}\n   :no-value:\n"
    if not inspect.isclass(value):
        return f".. autofunction:: boundkit.{name}\n"
    kind = "autoexception" if issubclass(value, Exception) else "autoclass"
    return f".. {kind}:: boundkit.{name}\n   :members:\n"


def _class(full: str) -> str:
    return f".. autoclass:: {full}\n   :members:\n"


def _autodoc(directives: Iterator[str] | Any) -> str:
    return "```{eval-rst}\n" + "\n".join(directives) + "```"
