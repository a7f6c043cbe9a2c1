"""Numbers with units, such as 40GB, 10Gbit/s, 5ms and 7B parameters."""

from __future__ import annotations

import re
from math import isfinite

from boundkit.algebra import BoundkitError

_TEN = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_TWO = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {f"{p}B": f for p, f in (_TEN | _TWO).items()}
_BITS = {f"{p}bit": f / 8 for p, f in (_TEN | _TWO).items()}
_RATES = (
    {f"{unit}/s": factor for unit, factor in (_BYTES | _BITS).items()}
    | {f"{p}bps": f / 8 for p, f in _TEN.items()}
    | {f"{p}Bps": f for p, f in _TEN.items()}
    | {f"{p}b/s": f / 8 for p, f in _TEN.items()}
)
UNITS: dict[str, tuple[dict[str, float], str]] = {
    "a time": (_TIMES, "5ms, 1.2s or 3h"),
    "a size": (_BYTES | _BITS, "40GB, 350MB or 8Gbit"),
    "a bandwidth": (_RATES, "10Gbit/s or 400MB/s"),
    "a number": ({"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}, "350M, 7B or 7e9"),
}
"""Kinds of quantities: factors of their units, to seconds, bytes, bytes per second and 1, and examples."""
_TEXT = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([^\d\s]*)\s*")


def read_quantity(name: str, given: object, kind: str, *, zero: bool = False) -> float:
    """A quantity in seconds, bytes, bytes per second or 1: from a text with its unit, or a number of these.

    Parameters
    ----------
    name
        What it is, for messages.
    given
        A number, or a text; a text other than 0 needs a unit, unless it is a number of things.
    kind
        A key of ``UNITS``.
    zero
        Whether it may be 0.

    Raises
    ------
    BoundkitError
        One sentence, for a text that is none, a unit of another kind, and a number out of range.

    Examples
    --------
    >>> read_quantity("bandwidth", "10Gbit/s", "a bandwidth"), read_quantity("latency", "5ms", "a time")
    (1250000000.0, 0.005)
    """
    units, example = UNITS[kind]
    if isinstance(given, str):
        value = _read_text(name, given, kind, units, example)
    elif isinstance(given, bool) or not isinstance(given, (int, float)):
        raise BoundkitError(f"{name} is {kind}, such as {example}, but {given!r} was given.")
    else:
        value = float(given)
    if not isfinite(value) or value < 0 or (value == 0 and not zero):
        least = "at least 0" if zero else "above 0"
        raise BoundkitError(f"{name} must be {kind} {least}, such as {example}, but {given} was given.")
    return value


def _read_text(name: str, text: str, kind: str, units: dict[str, float], example: str) -> float:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise BoundkitError(f"{name} is {kind}, such as {example}, but {text!r} was given.")
    number, unit = float(match[1]), match[2]
    if unit in units:
        return number * units[unit]
    if not unit and number == 0:
        return 0.0
    if not unit:
        raise BoundkitError(f"{name} needs a unit, as in {example}, but {text!r} has none.")
    if kind == "a bandwidth" and unit in UNITS["a size"][0]:
        raise BoundkitError(f"{name} is per second: write {text.strip()}/s for {text!r}.")
    if kind == "a size" and unit in _RATES:
        raise BoundkitError(f"{name} is a size, such as {example}, but {text!r} is a bandwidth.")
    if kind == "a size" and unit.endswith("b"):
        start = f"{match[1]}{unit[:-1]}"
        raise BoundkitError(f"{name} = {text!r} may be bits or bytes; write {start}bit or {start}B.")
    others = [other for other, (known, _) in UNITS.items() if unit in known and other != "a number"]
    what = f"is {others[0]}" if others else f"has the unknown unit {unit!r}"
    raise BoundkitError(f"{name} is {kind}, such as {example}, but {text!r} {what}.")


def write_time(seconds: float) -> str:
    """A time in the unit in which it is at least 1, in three digits.

    >>> write_time(0.005), write_time(5400), write_time(1e6)
    ('5 ms', '1.5 h', '11.6 d')
    """
    if seconds == 0 or not isfinite(seconds):
        return "0 s" if seconds == 0 else "no end"
    for unit in ("d", "h", "min", "s", "ms", "us"):
        if abs(seconds) >= _TIMES[unit]:
            return f"{seconds / _TIMES[unit]:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def write_size(size: float) -> str:
    """A number of bytes in the decimal unit in which it is at least 1.

    >>> write_size(1.4e10)
    '14 GB'
    """
    for prefix in ("T", "G", "M", "k"):
        if size >= _TEN[prefix]:
            return f"{size / _TEN[prefix]:.4g} {prefix}B"
    return f"{size:.4g} B"
