"""Cartesian products of settings over one run: every combination is a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.algorithms import algorithm_class
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec

FIELDS = ("eta", "eta_s", "local_steps", "rounds", "seed", "noise", "x0", "schedule", "participation")
"""Fields of RUN.json that may be an axis."""
FRACTION = "C"
"""The fraction of clients that participates: uniform sampling, in place of the run's participation."""
SYMBOLS = {"tau": "local_steps", "T": "rounds"}
"""Symbols of fields."""
MOST_POINTS = 100_000


@dataclass(frozen=True)
class Point:
    """One combination: the settings by name, and the resulting run."""

    settings: dict[str, Any] = field(hash=False)
    run: Run


def grid_points(base: Run, axes: Mapping[str, Sequence[Any]]) -> list[Point]:
    """Every combination of the axes' values over a run, the last axis fastest; the run itself without axes.

    An axis is a field of the run, ``C``, a symbol (``tau``, ``T``) or an option of the algorithm.

    Raises BoundkitError for an axis that is none of them, a repeated value, or a combination that cannot be
    run, which it names.
    """
    algorithm, spec = base.algorithm.name, base.to_json()
    named = _named(algorithm, axes)
    if "schedule" in spec and FRACTION in named:
        raise BoundkitError("C was given, but the run has a schedule, which overrides participation.")
    count = math.prod(len(values) for values in named.values())
    if count > MOST_POINTS:
        raise BoundkitError(f"these settings make {count:,} runs; a sweep has at most {MOST_POINTS:,}.")
    result = []
    for values in product(*named.values()):
        settings = dict(zip(named, values, strict=True))
        result.append(Point(settings, _run(base, spec, settings)))
    return result


def _named(algorithm: str, axes: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """The axes by the names of their fields, validated and without repeats."""
    options = algorithm_class(algorithm).options
    named: dict[str, Sequence[Any]] = {}
    for given, values in axes.items():
        name = SYMBOLS.get(given, given)
        if name not in (*FIELDS, FRACTION, *options):
            raise unknown("setting", given, (*FIELDS, FRACTION, *SYMBOLS, *options))
        if name in named:
            raise BoundkitError(f"{name} is given twice; give it once, several values as {name}=1,2,5.")
        previous: list[Any] = []
        for value in values:
            if value in previous and type(value) is type(previous[previous.index(value)]):
                raise BoundkitError(f"{given} has the value {value!r} twice.")
            previous.append(value)
        named[name] = values
    return named


def _run(base: Run, spec: Mapping[str, Any], settings: Mapping[str, Any]) -> Run:
    changed = dict(spec)
    for name, value in settings.items():
        if name in FIELDS:
            changed[name] = value
        elif name == FRACTION:
            changed["participation"] = {"kind": "uniform", "C": value}
        else:
            changed["options"] = {**changed.get("options", {}), name: value}
    try:
        return run_from_spec(base.algorithm.name, changed, None if "noise" in settings else base.problem)
    except BoundkitError as error:
        at = ", ".join(f"{name} = {value}" for name, value in settings.items())
        raise BoundkitError(f"at {at}: {error}") from None
