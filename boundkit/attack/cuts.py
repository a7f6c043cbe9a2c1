"""Smaller sheets than one sheet, those that cut most first. Each is one change; all changes end."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from boundkit.attack.sheet import Path, Sheet, get, leaves, put

_DIGITS = (1, 2, 3)
_BY_CLIENT = ("H", "e", "h", "p", "parts", "coefficients", "s")
"""Fields of problems with one entry a client."""
_BY_COORDINATE = ("H", "e", "h", "parts")


def cuts(sheet: Sheet) -> Iterator[Sheet]:
    """Sheets with less in them: clients, coordinates, noise, rounds, steps, then fewer digits."""
    yield from _fewer_clients(sheet)
    yield from _fewer_coordinates(sheet)
    for path, value in _plain(sheet):
        if get(sheet, path) != value:
            yield _with(sheet, path, value)
    yield from _fewer_counts(sheet)
    yield from _simpler_numbers(sheet)


def _with(sheet: Sheet, path: Path, value: Any) -> Sheet:
    changed = copy.deepcopy(sheet)
    put(changed, path, value)
    return changed


def _fewer_clients(sheet: Sheet) -> Iterator[Sheet]:
    problem = sheet["problem"]
    if sheet["schedule"] is not None or "e" not in problem or len(problem["e"]) < 2:
        return
    m = len(problem["e"])
    who = sheet["participation"]
    if isinstance(who, dict) and who.get("kind") not in (None, "bernoulli", "full"):
        return
    for i in range(m):
        smaller = copy.deepcopy(sheet)
        for name in _BY_CLIENT:
            if isinstance(smaller["problem"].get(name), list):
                del smaller["problem"][name][i]
        steps = smaller["local_steps"]
        for row in [steps] if _flat(steps) else steps if isinstance(steps, list) else []:
            del row[i]
        for holder in (smaller["options"], smaller["participation"] or {}):
            for value in holder.values():
                if isinstance(value, list) and len(value) == m:
                    del value[i]
        smaller["present"] = min(smaller["present"], m - 1)
        yield smaller
        if sheet["present"] > 1:
            smaller = copy.deepcopy(smaller)
            smaller["present"] = sheet["present"] - 1
            yield smaller


def _flat(steps: Any) -> bool:
    return isinstance(steps, list) and not isinstance(steps[0], list)


def _fewer_coordinates(sheet: Sheet) -> Iterator[Sheet]:
    problem = sheet["problem"]
    e = problem.get("e")
    if e is None or len(e[0]) < 2:
        return
    for j in range(len(e[0])):
        smaller = copy.deepcopy(sheet)
        for name in _BY_COORDINATE:
            if isinstance(problem.get(name), list):
                array = np.array(problem[name])
                array = np.delete(array, j, axis=-1)
                if name == "H" and array.ndim == 3:
                    array = np.delete(array, j, axis=1)
                smaller["problem"][name] = array.tolist()
        del smaller["x0"][j]
        yield smaller


def _plain(sheet: Sheet) -> Iterator[tuple[Path, Any]]:
    """Plainer values: no noise, everybody, alike weights and Hessians, eta_s = 1, diagonal, the origin."""
    problem = sheet["problem"]
    if not isinstance(sheet["noise"], dict):
        yield ("noise",), 0.0
    m = len(problem["e"]) if "e" in problem else 1
    if sheet["participation"] is None and sheet["schedule"] is None:
        yield ("present",), m
    if problem.get("p") is not None:
        yield ("problem", "p"), [1 / m] * m
    yield ("eta_s",), 1.0
    if sheet["eta"] is None:
        yield ("step",), 1.0
    if _flat(sheet["local_steps"]):
        yield ("local_steps",), max(sheet["local_steps"])
    H = np.array(problem["H"]) if "H" in problem else None
    if H is not None:
        if H.ndim == 3:
            yield ("problem", "H"), np.diagonal(H, axis1=1, axis2=2).tolist()
        yield ("problem", "H"), [problem["H"][0]] * m
    yield ("x0",), [0.0] * len(sheet["x0"])
    if "e" in problem and np.ptp(np.array(problem["e"]), axis=0).any():
        yield ("problem", "e"), np.zeros_like(problem["e"], dtype=float).tolist()


def _fewer_counts(sheet: Sheet) -> Iterator[Sheet]:
    """Fewer rounds and local steps: one, half, or a rounder number."""
    for name in ("rounds", "local_steps"):
        for path in leaves(sheet[name], (name,)):
            value = int(get(sheet, path))
            rounder = [int(float(f"{value:.{k - 1}e}")) for k in _DIGITS]
            for fewer in dict.fromkeys((1, value // 2, *(r for r in rounder if r < value), value - 1)):
                if 1 <= fewer < value:
                    yield _with(sheet, path, fewer)


def _simpler_numbers(sheet: Sheet) -> Iterator[Sheet]:
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
                changed = copy.deepcopy(sheet)
                for p in places:
                    put(changed, p, _rounded(get(sheet, p), digits))
                yield changed
    for field in fields:
        for p in leaves(get(sheet, field), field):
            value = get(sheet, p)
            if not isinstance(value, float) or value == 0:
                continue
            for simpler in dict.fromkeys((0.0, *(_rounded(value, k) for k in _DIGITS))):
                if _length(simpler) < _length(value):
                    yield _with(sheet, p, simpler)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")


def _length(value: float) -> int:
    """How long a number is to read: 0 is shortest, then digits."""
    return 0 if value == 0 else len(f"{value:.17g}".lstrip("-").rstrip("0"))
