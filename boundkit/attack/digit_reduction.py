"""Sheets with smaller whole numbers, and numbers with fewer digits."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from math import floor, log10
from typing import Any

from boundkit.attack.nested_numbers import Path, Sheet, get, leaves, put

_DIGITS = (1, 2, 3)
_SMALL = 10
"""Whole numbers up to here are round."""


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


def rounder(sheet: Sheet) -> Iterator[Sheet]:
    """Each number as one, two or five times a power of ten; local steps as a power of two, too.

    Both neighbours are tried, the near one first, so that a number may also grow: this comes last. A step
    that cannot be round is a round part of the largest that is allowed.
    """
    eta = sheet["eta"]
    if isinstance(eta, float) and eta not in _round_about(eta):
        for part in (1.0, 0.5, 0.2, 0.1):
            yield changed(changed(sheet, ("eta",), None), ("step",), part)
    for path in leaves(sheet["local_steps"], ("local_steps",)):
        value = int(get(sheet, path))
        if value > _SMALL and value not in _round_about(value) and value & (value - 1):
            powers = [2 ** (value.bit_length() - 1), 2 ** value.bit_length()]
            rounds = [int(v) for v in _round_about(value)]
            for other in sorted({*rounds, *powers}, key=lambda v: (abs(v - value), v)):
                yield changed(sheet, path, other)
    for field in (("step",), ("eta",), ("eta_s",), ("noise",), ("x0",), ("problem",)):
        if get(sheet, field) is None:
            continue
        for path in leaves(get(sheet, field), field):
            value = get(sheet, path)
            if isinstance(value, float) and value and abs(value) not in _round_about(abs(value)):
                near = _round_about(abs(value))
                for size in sorted(near, key=lambda v: abs(v - abs(value))):
                    yield changed(sheet, path, size if value > 0 else -size)


def _round_about(value: float) -> list[float]:
    """The nearest of 1, 2, 5 times a power of ten below and above; the value alone where it is one."""
    k = floor(log10(value))
    series = [float(f"{digit}e{at}") for at in (k, k + 1) for digit in (1, 2, 5)]
    if value in series:
        return [value]
    return [max(v for v in series if v < value), min(v for v in series if v > value)]


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
