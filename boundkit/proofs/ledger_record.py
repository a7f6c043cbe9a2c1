"""A ledger as a record, which a figure draws without a run."""

from __future__ import annotations

from typing import Any

from boundkit.proofs.proof_ledger import Entry, Ledger
from boundkit.verification.tabular_result import TabularResult

NAME = "ledger"
"""The name of the record."""


def as_record(result: Ledger) -> TabularResult:
    """Return the steps and the terms of the bound as columns."""
    names = [*Entry.__dataclass_fields__, "slack"]
    columns: dict[str, list[Any]] = {
        f"steps {name}": [getattr(step, name) for step in result.steps] for name in names
    }
    tables = [("steps", [*columns]), ("terms", ["terms term", "terms value"])]
    columns |= {"terms term": [*result.terms], "terms value": [*result.terms.values()]}
    alone = ("theorem", "claim", "measured", "bound", "end", "rounds", "engine", "setting", "holds", "closes")
    return TabularResult(
        NAME,
        f"What every step of the proof of {result.theorem} gives away on a run.",
        f"steps: {_line(Entry)} terms: the bound, by term.",
        {name: getattr(result, name) for name in alone},
        columns,
        tables,
    )


def _line(kind: type) -> str:
    return " ".join((kind.__doc__ or "").replace("``", "").split())
