"""Smaller sheets than one sheet: each stage yields sheets with one thing less, those that cut most first."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from boundkit.attack.digit_reduction import changed, fewer_counts, fewer_digits
from boundkit.attack.nested_numbers import Path, Sheet, get

_BY_CLIENT = ("H", "e", "h", "p", "parts", "coefficients", "s")
"""Fields of problems with one entry a client."""
_BY_COORDINATE = ("H", "e", "h", "parts")


def fewer_clients(sheet: Sheet) -> Iterator[Sheet]:
    """Without one of the clients."""
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


def fewer_coordinates(sheet: Sheet) -> Iterator[Sheet]:
    """Without one of the coordinates."""
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


def plainer(sheet: Sheet) -> Iterator[Sheet]:
    """With one setting as plain as it can be."""
    for path, value in _plain(sheet):
        if get(sheet, path) != value:
            yield changed(sheet, path, value)


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


STAGES: tuple[Callable[[Sheet], Iterator[Sheet]], ...] = (
    fewer_clients,
    fewer_coordinates,
    plainer,
    fewer_counts,
    fewer_digits,
)
"""What is cut, in this order."""
