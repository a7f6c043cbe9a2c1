"""The versions of Python and of packages, which records state."""

from __future__ import annotations

import platform
from functools import cache

_PACKAGES = ("boundkit", "numpy", "scipy", "sympy", "torch", "xarray")


@cache
def versions() -> dict[str, str]:
    """The versions of Python and the packages; cached, since reading them takes longer than a record."""
    from importlib.metadata import PackageNotFoundError, version

    result = {"python": platform.python_version(), "machine": platform.machine()}
    for name in _PACKAGES:
        try:
            result[name] = version(name)
        except PackageNotFoundError:
            continue
    return result
