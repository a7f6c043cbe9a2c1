"""A ledger as a record: what a figure draws again without a run."""

from __future__ import annotations

from typing import Any

from boundkit.proofs.ledger import Entry, Ledger
from boundkit.verification.tabular_result import Demonstrated

NAME = "ledger"
"""The name of the record."""


def as_record(found: Ledger) -> Demonstrated:
    """The steps and the terms of the bound as columns."""
    names = [*Entry.__dataclass_fields__, "slack"]
    columns: dict[str, list[Any]] = {
        f"steps {name}": [getattr(step, name) for step in found.steps] for name in names
    }
    tables = [("steps", [*columns]), ("terms", ["terms term", "terms value"])]
    columns |= {"terms term": [*found.terms], "terms value": [*found.terms.values()]}
    alone = ("theorem", "claim", "measured", "bound", "end", "rounds", "engine", "setting", "holds", "closes")
    return Demonstrated(
        NAME,
        f"What every step of the proof of {found.theorem} gives away on a run.",
        f"steps: {_line(Entry)} terms: the bound, by term.",
        {name: getattr(found, name) for name in alone},
        columns,
        tables,
    )


def _line(kind: type) -> str:
    return " ".join((kind.__doc__ or "").replace("``", "").split())
