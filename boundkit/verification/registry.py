"""Registries that fill themselves: what the modules of a package hold under one name, together."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from boundkit.algebra import BoundkitError


def gathered(package: str, path: Iterable[str], name: str) -> dict[str, Any]:
    """The dictionaries ``name`` of all modules of the package as one.

    Raises BoundkitError where two modules claim the same key.
    """
    found: dict[str, Any] = {}
    for info in iter_modules(path):
        mine = getattr(import_module(f"{package}.{info.name}"), name, {})
        twice = sorted(set(mine) & set(found))
        if twice:
            raise BoundkitError(f"{package}.{info.name} defines {twice[0]!r} a second time.")
        found |= mine
    return found
