"""Statements kept as printed because they fail the dimension check. One exhibit, one file."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.exhibit import Exhibit


@cache
def exhibit_names() -> tuple[str, ...]:
    """The names of all exhibits, sorted.

    >>> "fedawe_step_condition" in exhibit_names()
    True
    """
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def exhibit(name: str) -> Exhibit:
    """The exhibit of that name.

    Raises BoundkitError for an unknown name, with near ones.
    """
    if name not in exhibit_names():
        raise unknown("exhibit", name, exhibit_names())
    value = import_module(f"{__name__}.{name}").EXHIBIT
    if not isinstance(value, Exhibit) or value.name != name:
        raise BoundkitError(f"the file {name}.py must build one EXHIBIT called {name!r}.")
    return value


def exhibits() -> dict[str, Exhibit]:
    """All exhibits by name."""
    return {name: exhibit(name) for name in exhibit_names()}
