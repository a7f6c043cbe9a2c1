"""The versions of Python and of packages, which records state."""

from __future__ import annotations

import platform
from functools import cache

_PACKAGES = ("boundkit", "numpy", "scipy", "sympy", "torch", "xarray")


@cache
def versions() -> dict[str, str]:
    """The versions of Python and the packages; cached, since reading them takes longer than a record."""
    packages = {name: version for name in _PACKAGES if (version := installed_version(name)) is not None}
    return {"python": platform.python_version(), "machine": platform.machine(), **packages}


@cache
def installed_version(name: str) -> str | None:
    """The version of a package; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None
