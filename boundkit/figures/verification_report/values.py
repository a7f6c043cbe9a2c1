"""The tables of a section as text: terms with their shares, instances, constants."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from boundkit.algebra.printing import latex, plain
from boundkit.figures.number_format import number, ratio
from boundkit.figures.verification_report.lines import Line


@dataclass(frozen=True)
class TermRow:
    """A term: its formula where the statement is known, its value at the worst instance and its share."""

    label: str
    cause: str
    latex: str
    plain: str
    value: str
    share: str


def term_rows(line: Line) -> list[TermRow]:
    """A row for each term that the verdict has a value for."""
    values: dict[str, float] = line.verdict["terms"]
    total = sum(values.values())
    known = {} if line.theorem is None else line.theorem.bound.terms
    rows = []
    for label, value in values.items():
        expr = known[label].expr if label in known else None
        share = f"{100 * value / total:.3g} %" if total > 0 else ""
        rows.append(TermRow(
            label, line.record.causes[label], "" if expr is None else latex(expr),
            "" if expr is None else plain(expr), number(value, 3), share,
        ))  # fmt: skip
    return rows


def case_rows(line: Line) -> list[list[str]]:
    """Instance, verdict, ratio, trust in its constants, engine."""
    return [
        [c["name"], c["verdict"], _ratio(c["ratio"]), c["constants"], c["engine"]]
        for c in line.verdict["cases"]
    ]


def _ratio(share: float | None) -> str:
    return "no number" if share is None else ratio(share)


def constant_rows(line: Line) -> list[list[str]]:
    """Constant, value, trust, how it was found."""
    found = line.verdict["constant_values"]
    return [[name, number(c["value"], 4), c["trust"], c["how"]] for name, c in found.items()]


def setting_words(line: Line) -> str:
    """The settings of the worst instance, or of the only run, that are numbers, in a sentence."""
    run = line.record.run
    said = [f"{name} = {run[name]:g}" for name in ("rounds", "eta", "eta_s", "local_steps", "noise")
            if isinstance(run.get(name), (int, float))]  # fmt: skip
    return f"{_who(line)} has {', '.join(said)}." if said else ""


def _who(line: Line) -> str:
    cases, share = line.verdict["cases"], line.verdict["ratio"]
    if not cases:
        return "The run"
    names = [c["name"] for c in cases if share is not None and c["ratio"] == share]
    return f"The worst instance, {names[0]!r}," if names else "The worst instance"


def how(line: Line) -> str:
    """How the number was measured."""
    engine, replicas = line.verdict["engine"], line.verdict["replicas"]
    if engine is None:
        return ""
    many = f", {replicas} replicas" if replicas else ""
    return f"Measured by the {engine} engine{many}."


def record_link(line: Line, page: Path) -> str | None:
    """From the page to the record, where there is one."""
    kept = line.verdict["record"]
    return None if kept is None else Path(os.path.relpath(kept, page.parent)).as_posix()
