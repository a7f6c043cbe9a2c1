"""The report as Markdown, with pictures in files beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from boundkit.figures.verification_report.lines import (
    Line,
    case_rows,
    counts,
    how,
    pair,
    record_link,
    setting_words,
    term_rows,
)


def markdown(lines: Sequence[Line], pictures: Mapping[str, bytes], folder: str, page: Path) -> str:
    """The whole page; pictures are linked by name in ``folder``."""
    spoken = [line for line in lines if line.spoken]
    parts = ["# Theorems against runs", _summary(lines)]
    if "overview" in pictures:
        parts.append(f"![measured over bound of every theorem]({folder}/overview.svg)")
    if spoken:
        header = ["theorem", "verdict", "kind", "constants", "measured/bound", "slopes: measured (predicted)",
                  "not tested"]  # fmt: skip
        parts += ["## Verdicts", as_table(header, [_row(line) for line in spoken])]
    others = [line for line in lines if not line.spoken]
    if others:
        rows = [[line.name, line.verdict["reason"]] for line in others]
        parts += ["## Not applicable", as_table(["theorem", "because"], rows)]
    for line in spoken:
        parts += _section(line, f"{folder}/{line.name}.svg" if line.name in pictures else None, page)
    return "\n\n".join(parts) + "\n"


def _summary(lines: Sequence[Line]) -> str:
    return ", ".join(f"{count} {answer}" for answer, count in counts(lines)) + "."


def _row(line: Line) -> list[str]:
    slopes = "; ".join(
        f"{label}: {', '.join(f'{s.letter} {pair(s)}' for s in of_term)}"
        for label, of_term in line.by_term.items()
    )
    return [f"[{line.name}](#{line.name})", line.answer, line.verdict["kind"],
            line.trust, line.ratio, slopes or "not fitted",
            ", ".join(name for name, _ in line.untested) or "\N{EM DASH}"]  # fmt: skip


def _section(line: Line, picture: str | None, page: Path) -> list[str]:
    parts = [f"## {line.name}", f"**{line.answer}.** {line.verdict['reason']}"]
    if line.source:
        parts.append(f"Source: {line.source}.")
    if picture:
        parts.append(f"![bound against run]({picture})")
    if rows := term_rows(line):
        body = [[r.label, r.cause, f"$`{r.latex}`$" if r.latex else "", r.value, r.share] for r in rows]
        parts += ["### Terms at the worst instance",
                  as_table(["term", "cause", "formula", "value", "share"], body)]  # fmt: skip
    parts.append(f"{setting_words(line)} {how(line)}".strip())
    if cases := case_rows(line):
        header = ["instance", "verdict", "measured/bound", "constants", "engine"]
        parts += ["### Instances", as_table(header, cases)]
    checks = [[c["name"], c["outcome"], c["sentence"]] for c in line.verdict["checks"]]
    if checks:
        parts += ["### Checks", as_table(["check", "outcome", "what was seen"], checks)]
    link = record_link(line, page)
    return [*parts, f"[record]({link})"] if link else parts


def as_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are Markdown."""
    lines = [header, ["---"] * len(header), *([_cell(c) for c in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|") if not text.startswith("$") else text.replace("|", "\\vert ")
