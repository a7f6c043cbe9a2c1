"""The theorems of this folder, by name. Adding a file adds a theorem, and its tests."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

import boundkit.theorems as folder
from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown

_NOT_STATEMENTS = {"catalogue"}


@cache
def names() -> tuple[str, ...]:
    """The names of all theorems, sorted.

    >>> "fedavg_nonconvex" in names()
    True
    """
    return tuple(
        sorted(
            module.name
            for module in pkgutil.iter_modules(folder.__path__)
            if not module.ispkg and module.name not in _NOT_STATEMENTS and not module.name.startswith("_")
        )
    )


def theorem(name: str) -> Theorem:
    """The theorem of that name.

    Raises BoundkitError for an unknown name, with near ones.
    """
    if name not in names():
        raise unknown("theorem", name, names())
    statement = import_module(f"{folder.__name__}.{name}").THEOREM
    if not isinstance(statement, Theorem) or statement.name != name:
        raise BoundkitError(f"the file {name}.py must build one THEOREM called {name!r}.")
    return statement


def catalogue() -> dict[str, Theorem]:
    """All theorems by name."""
    return {name: theorem(name) for name in names()}
