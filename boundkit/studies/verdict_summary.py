"""Many verdicts in few numbers: how much of its bound each run used, and every slope that was fitted.

It is small enough to be carried about, and it is what figures over all theorems draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from boundkit.verification.record import Record
from boundkit.verification.tabular_result import TabularResult, tabulate_result

NAME = "verified"
SHOWS = "How much of its bound each theorem's runs used, and which exponents its terms show."


@dataclass(frozen=True)
class Held:
    """``ratio``: measured/bound of the worst instance, with its 99 % interval; none where both are 0.

    Up to constants (``kind`` order) it is the largest along the sweeps, with the open constants at 1.
    """

    theorem: str
    algorithm: str
    kind: str
    answer: str
    ratio: float | None
    low: float | None
    high: float | None
    instance: str
    engine: str
    constants: str


@dataclass(frozen=True)
class Instance:
    """One run that a theorem was held against, and the share of the bound that it used."""

    theorem: str
    name: str
    ratio: float


@dataclass(frozen=True)
class Slope:
    """An exponent where ``term`` is seen alone: measured, with the half width of its 99 % interval.

    ``term`` is "bound", without a cause, where constants are open and the whole bound is seen.
    """

    theorem: str
    term: str
    cause: str
    quantity: str
    measured: float
    margin: float
    predicted: float
    outcome: str


@dataclass(frozen=True)
class Summary:
    """``theorems``: those that a run was held against; ``not_applicable``: how many others there are.

    ``quick``: only the first few instances of each were run.
    """

    theorems: list[Held]
    instances: list[Instance]
    slopes: list[Slope]
    not_applicable: int
    quick: bool


def summary(records: Iterable[Record], algorithms: Mapping[str, str], quick: bool = False) -> TabularResult:
    """The summary of records, in their order. ``algorithms`` gives each theorem's algorithm."""
    every = list(records)
    spoken = [r for r in every if r.verdict["verdict"] != "not applicable"]
    found = Summary(
        [_held(r, algorithms[r.theorem]) for r in spoken],
        [i for r in spoken for i in instances_of(r)],
        [s for r in spoken for s in _slopes(r)],
        len(every) - len(spoken),
        quick,
    )
    return tabulate_result(NAME, SHOWS, found)


def instances_of(record: Record) -> list[Instance]:
    """The runs of a record that have a ratio."""
    cases = record.verdict["cases"]
    return [Instance(record.theorem, c["name"], c["ratio"]) for c in cases if c["ratio"] is not None]


def _held(record: Record, algorithm: str) -> Held:
    found = record.verdict
    name, share = _worst(found)
    low, high = found["interval"] or (None, None)
    told = (record.theorem, algorithm, found["kind"], found["verdict"], share, low, high)
    return Held(*told, name, found["engine"] or "", found["constants"] or "open")


def _worst(found: Mapping[str, Any]) -> tuple[str, float | None]:
    """The worst instance and its ratio; up to constants the letter of the sweep that came nearest."""
    if found["kind"] == "order":
        seen = [(c["largest_ratio"], c["letter"]) for c in found["checks"] if "largest_ratio" in c]
        share, letter = max(seen, default=(None, ""))
        return f"sweep of {letter}" if letter else "", share
    same = [c["name"] for c in found["cases"] if c["ratio"] == found["ratio"]]
    return (same[0] if same else "the run"), found["ratio"]


def _slopes(record: Record) -> list[Slope]:
    return [
        Slope(record.theorem, c["term"], record.causes.get(c["term"], ""), c["letter"], c["measured"],
              c["margin"], c["predicted"], c["outcome"])
        for c in record.verdict["checks"]
        if "term" in c and c["outcome"] != "not tested" and c.get("measured") is not None
    ]  # fmt: skip
