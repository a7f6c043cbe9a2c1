"""Summary of verdicts: measured/bound of every theorem and instance, and every fitted exponent.

It is the record that figures over all theorems draw.
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
class TheoremRatio:
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
class InstanceRatio:
    """One instance of a theorem and its measured/bound."""

    theorem: str
    name: str
    ratio: float


@dataclass(frozen=True)
class FittedSlope:
    """A fitted exponent of an isolated term, with the half width of its 99 % interval.

    ``term`` is "bound", without a cause, where constants are open and the whole bound is fitted.
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
    """``theorems``: those that were evaluated on a run; ``not_applicable``: the number of others.

    ``quick``: whether only the first few instances of each were run.
    """

    theorems: list[TheoremRatio]
    instances: list[InstanceRatio]
    slopes: list[FittedSlope]
    not_applicable: int
    quick: bool


def summarize_verdicts(
    records: Iterable[Record], algorithms: Mapping[str, str], quick: bool = False
) -> TabularResult:
    """Summarize records, in their order; ``algorithms`` maps theorems to their algorithms."""
    every = list(records)
    applicable = [r for r in every if r.verdict["verdict"] != "not applicable"]
    summary = Summary(
        [_theorem_ratio(r, algorithms[r.theorem]) for r in applicable],
        [i for r in applicable for i in instances_of(r)],
        [s for r in applicable for s in _slopes(r)],
        len(every) - len(applicable),
        quick,
    )
    return tabulate_result(NAME, SHOWS, summary)


def instances_of(record: Record) -> list[InstanceRatio]:
    """Instances of a record that have a ratio."""
    cases = record.verdict["cases"]
    return [InstanceRatio(record.theorem, c["name"], c["ratio"]) for c in cases if c["ratio"] is not None]


def _theorem_ratio(record: Record, algorithm: str) -> TheoremRatio:
    verdict = record.verdict
    name, share = _worst(verdict)
    low, high = verdict["interval"] or (None, None)
    fields = (record.theorem, algorithm, verdict["kind"], verdict["verdict"], share, low, high)
    return TheoremRatio(*fields, name, verdict["engine"] or "", verdict["constants"] or "open")


def _worst(verdict: Mapping[str, Any]) -> tuple[str, float | None]:
    """The worst instance and its ratio; of an order-level bound the sweep with the largest ratio."""
    if verdict["kind"] == "order":
        ratios = [(c["largest_ratio"], c["letter"]) for c in verdict["checks"] if "largest_ratio" in c]
        share, quantity = max(ratios, default=(None, ""))
        return f"sweep of {quantity}" if quantity else "", share
    matching = [c["name"] for c in verdict["cases"] if c["ratio"] == verdict["ratio"]]
    return (matching[0] if matching else "the run"), verdict["ratio"]


def _slopes(record: Record) -> list[FittedSlope]:
    return [
        FittedSlope(record.theorem, c["term"], record.causes.get(c["term"], ""), c["letter"], c["measured"],
              c["margin"], c["predicted"], c["outcome"])
        for c in record.verdict["checks"]
        if "term" in c and c["outcome"] != "not tested" and c.get("measured") is not None
    ]  # fmt: skip
