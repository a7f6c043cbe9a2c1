"""The tightness atlas as tables, for its page and for the page of each theorem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from boundkit.algebra import CAUSES
from boundkit.attack.atlas import OPEN
from boundkit.attack.atlas_record import FILE, NAME
from boundkit.cli.known_constants import known_constants
from boundkit.figures.necessary_constants import THEOREMS
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.theorems import theorem
from boundkit.verification.tabular_result import TabularResult

from .markdown import plain, table, to_theorem
from .pictures import picture, shown

ALT = "a line a theorem, its largest measured/bound, and the share of each term that is needed"


@cache
def kept() -> TabularResult:
    """The package's own record."""
    return read_demonstration(FILE)


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one table of the record: "theorems" or "terms"."""
    heads = dict(kept().tables)[name]
    columns = [kept().columns[head] for head in heads]
    keys = [head.removeprefix(f"{name} ") for head in heads]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def text() -> str:
    """The picture; the bounds, the tightest first; the terms by cause; what is known on paper."""
    bounds = sorted((r for r in rows("theorems") if r["ratio"] is not None), key=lambda r: -r["ratio"])
    return "\n\n".join(
        [
            shown(picture(NAME, "--preset", "paper"), ALT) + '{width="100%"}',
            "```console\n$ boundkit figure atlas --preset paper\n```",
            "## Bounds",
            table(
                ["theorem, and the instance", "measured/bound", "times smaller at most"],
                [[_with(to_theorem(r["theorem"]), r), ratio(r), times(r["smaller"])] for r in bounds],
            ),
            *_without(),
            "## Equality",
            "\n".join(_equalities()),
            "## Terms",
            *_by_cause(),
        ]
    )


def section(name: str) -> str:
    """What the page of a theorem says of it, as a part with a heading; "" where its constants are open."""
    whole = next((r for r in rows("theorems") if r["theorem"] == name), None)
    if whole is None or whole["silent"] == OPEN:
        return ""
    if whole["ratio"] is None:
        return f"## How tight\n\nNot known: {whole['silent']}."
    terms = [r for r in rows("terms") if r["theorem"] == name]
    lines = [["the whole bound", ratio(whole), times(whole["smaller"]), plain(whole["instance"])]]
    if len(terms) > 1:
        lines += [[r["term"], share(r), times(r["smaller"]), seen(r)] for r in terms]
    known = [f"On paper: {plain(whole['equality'])}"] if whole["equality"] else []
    return "\n\n".join(
        [
            "## How tight",
            table(["constant of", "needed share", "times smaller at most", "as seen on"], lines),
            *known,
            *_both_sides(name),
            "From the [atlas](../atlas.md), which says what a share is.",
        ]
    )


def _both_sides(name: str) -> Iterator[str]:
    """The constants beside the necessary ones, where a lower bound is known."""
    answer = known_constants(theorem(name))
    if answer.terms:
        lower = [to_theorem(each, "") for each in dict.fromkeys(each.lower for each in answer.terms)]
        base = [] if answer.sharpens is None else [f"{answer.before}: {to_theorem(answer.sharpens.name, '')}"]
        origin = "; ".join([*base, f"by a lower bound: {', '.join(lower)}"])
        yield table(*answer.table())
        yield f"{origin[0].upper()}{origin[1:]}."


def both_sides() -> str:
    """The constants of FedAvg with sampled clients, beside the necessary ones."""
    parts = []
    for name in THEOREMS:
        header, lines = known_constants(theorem(name)).table()
        parts += [to_theorem(name), table(header, lines)]
    return "\n\n".join(parts)


def ratio(row: dict[str, Any]) -> str:
    """The ratio of a bound, with a star where it was sampled."""
    return f"{_digits(row['ratio'])}{_star(row)}"


def share(row: dict[str, Any]) -> str:
    """The share of a term, or that none is shown."""
    return "not shown" if row["share"] is None else f"{_digits(row['share'])}{_star(row)}"


def seen(row: dict[str, Any]) -> str:
    """The instance of a term, or why there is none."""
    return plain(row["instance"] or row["silent"])


def times(value: float | None) -> str:
    """How many times smaller, in three digits."""
    return "" if value is None else f"{value:.3g}" if value < 1e4 else f"{value:.1e}"


def _digits(value: float) -> str:
    return f"{value:.3f}" if value >= 0.01 else f"{value:.1e}"


def _star(row: dict[str, Any]) -> str:
    return r" \*" if row["sampled"] else ""


def _without() -> Iterator[str]:
    """The theorems without a ratio, by reason."""
    found: dict[str, list[str]] = {}
    for row in rows("theorems"):
        if row["ratio"] is None:
            found.setdefault(row["silent"], []).append(to_theorem(row["theorem"]))
    for why, names in found.items():
        yield f"No ratio, because {why}: {', '.join(names)}."


def _equalities() -> Iterator[str]:
    for row in rows("theorems"):
        if row["attained"] or row["equality"]:
            on_paper = f" On paper: {plain(row['equality'])}" if row["equality"] else ""
            yield f"- {to_theorem(row['theorem'])}: {_digits(row['ratio'])}{_star(row)}.{on_paper}"


def _by_cause() -> Iterator[str]:
    every = rows("terms")
    for cause in CAUSES:
        mine = [row for row in every if row["cause"] == cause]
        needed = sorted((r for r in mine if r["share"] is not None), key=lambda r: -r["share"])
        if mine:
            yield f"### {cause[0].upper()}{cause[1:]}"
        if needed:
            head = ["theorem, and the instance", "needed share", "times smaller at most"]
            lines = [[_with(_named(r, every), r), share(r), times(r["smaller"])] for r in needed]
            yield table(head, lines)
        yield from _unshown([r for r in mine if r["share"] is None], every)


def _unshown(mine: Sequence[dict[str, Any]], every: Sequence[dict[str, Any]]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for row in mine:
        if row["silent"] != OPEN:
            found.setdefault(row["silent"], []).append(_named(row, every))
    for why, names in found.items():
        yield f"Not shown, because {why}: {', '.join(names)}."


def _with(name: str, row: dict[str, Any]) -> str:
    """A name, and below it the instance."""
    return f"{name}<br>{plain(row['instance'])}"


def _named(row: dict[str, Any], every: Sequence[dict[str, Any]]) -> str:
    """The theorem, and the term where it has several of that cause."""
    same = sum(r["theorem"] == row["theorem"] and r["cause"] == row["cause"] for r in every)
    return to_theorem(row["theorem"]) + (f" ({row['term']})" if same > 1 else "")
