"""One theorem for all of its kind in the usual run; the others are marked slow, for ``make test-all``.

For families of tests in which a theorem's file can hardly be wrong, only what is asked of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from boundkit.theorems import catalogue, theorem


def aside(cases: Iterable[Any], *slow: Any) -> list[Any]:
    """The cases, some of them marked slow: they cost seconds, and the others make the same mistakes seen."""
    every = list(cases)
    assert all(case in every for case in slow)
    return [pytest.param(case, marks=pytest.mark.slow) if case in slow else case for case in every]


def representatives(names: Iterable[str] | None = None) -> list[pytest.ParameterSet]:
    """Names of theorems, all of the catalogue if not said, for ``pytest.mark.parametrize``.

    One of each algorithm and kind is never slow, the first of those that are named.

    >>> [one.values[0] for one in representatives(["fedavg_nonconvex", "fedavg_convex"]) if not one.marks]
    ['fedavg_nonconvex']
    """
    seen: set[tuple[str, str]] = set()
    found = []
    for name in catalogue() if names is None else names:
        of = theorem(name)
        kind = (of.algorithm, of.kind)
        found.append(pytest.param(name, marks=[pytest.mark.slow] if kind in seen else [], id=name))
        seen.add(kind)
    return found


REPRESENTATIVES = [str(one.values[0]) for one in representatives() if not one.marks]
"""Their names."""
