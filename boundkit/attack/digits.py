"""Sheets with smaller whole numbers, and numbers with fewer digits."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from boundkit.attack.sheet import Path, Sheet, get, leaves, put

_DIGITS = (1, 2, 3)


def changed(sheet: Sheet, path: Path, value: Any) -> Sheet:
    """The sheet with another value at one place."""
    other = copy.deepcopy(sheet)
    put(other, path, value)
    return other


def fewer_counts(sheet: Sheet) -> Iterator[Sheet]:
    """Fewer rounds and local steps: one, half, or a rounder number."""
    for name in ("rounds", "local_steps"):
        for path in leaves(sheet[name], (name,)):
            value = int(get(sheet, path))
            rounder = [int(float(f"{value:.{k - 1}e}")) for k in _DIGITS]
            for fewer in dict.fromkeys((1, value // 2, *(r for r in rounder if r < value), value - 1)):
                if 1 <= fewer < value:
                    yield changed(sheet, path, fewer)


def fewer_digits(sheet: Sheet) -> Iterator[Sheet]:
    """All numbers of a field with few digits at once, then one after another; zeros first."""
    fields: list[Path] = [
        ("x0",),
        ("noise",),
        ("step",),
        ("eta",),
        ("eta_s",),
        ("options",),
        ("participation",),
    ]
    fields += [("problem", name) for name in sheet["problem"]]
    for field in fields:
        places = [p for p in leaves(get(sheet, field), field) if isinstance(get(sheet, p), float)]
        for digits in _DIGITS:
            if any(_rounded(get(sheet, p), digits) != get(sheet, p) for p in places):
                fewer = copy.deepcopy(sheet)
                for p in places:
                    put(fewer, p, _rounded(get(sheet, p), digits))
                yield fewer
    for field in fields:
        for p in leaves(get(sheet, field), field):
            value = get(sheet, p)
            if not isinstance(value, float) or value == 0:
                continue
            for simpler in dict.fromkeys((0.0, *(_rounded(value, k) for k in _DIGITS))):
                if _length(simpler) < _length(value):
                    yield changed(sheet, p, simpler)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def _length(value: float) -> int:
    """How long a number is to read: 0 is shortest, then digits."""
    return 0 if value == 0 else len(f"{value:.17g}".lstrip("-").rstrip("0"))
