"""What became of all mutants, as tables, from the record beside the pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from boundkit.attack.mutation.mutant import KILLERS, KINDS, OPEN, OUTCOMES
from boundkit.attack.mutation.report import NAME
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.verification.tabular_result import TabularResult

from .markdown import plain, table, to_theorem
from .pictures import RECORDS

FALSE = ("killed", "inside slack", "not testable", "survived")
"""The outcomes of mutants that are not known to be true."""


@cache
def kept() -> TabularResult:
    """The record beside the pages."""
    return read_demonstration(RECORDS / f"{NAME}.json")


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one table of the record; none where the table is empty."""
    heads = dict(kept().tables).get(name, [])
    columns = [kept().columns[head] for head in heads]
    keys = [head.removeprefix(f"{name} ") for head in heads]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]


def text() -> str:
    """How many of each, by mistake and by theorem; who killed; the survivors; what stands, and why."""
    return "\n\n".join(
        [
            _summary(),
            "### By mistake",
            _by_mistake(rows("mistakes")),
            "### Who killed",
            _killers(rows("mistakes")),
            "### By theorem",
            _by_theorem(),
            "### Survivors",
            *_survivors(),
            "### What stands, and why",
            *_standing(),
        ]
    )


def _summary() -> str:
    every = rows("mistakes")
    total, outcomes = _sum(every), _by(every, "outcome")
    explicit = [row for row in every if row["explicit"]]
    sharp = [row for row in explicit if row["mistake"] in ("exponent", "dropped") and row["outcome"] in FALSE]
    killed = _sum(row for row in sharp if row["outcome"] == "killed")
    theorems = len({row["theorem"] for row in rows("theorems")})
    parts = ", ".join(f"{outcomes[name]} {name}" for name in OUTCOMES if outcomes[name])
    count = _by(explicit, "outcome")
    left = sum(count[name] for name in OPEN)
    proved = count["weaker"] + count["proved"]
    dropped = _sum(row for row in explicit if row["mistake"] == "dropped" and row["outcome"] in OPEN)
    return (
        f"{total} mutants of {theorems} theorems: {parts}. Of the {_sum(explicit)} of bounds with constants "
        f"{count['killed']} are refuted, {proved} are proved and {left} are open "
        f"({100 * left / _sum(explicit):.1f} %), {dropped} of these a term left out. In theorems "
        f"with explicit constants {_sum(sharp)} wrong exponents and terms left out are not known to be true; "
        f"{killed} of them are killed."
    )


def _by_mistake(every: Sequence[Mapping[str, Any]]) -> str:
    lines, meant = [], []
    for kind, said in KINDS.items():
        mine = [row for row in every if row["mistake"] == kind]
        count = _by(mine, "outcome")
        if mine:
            lines.append([kind, str(_sum(mine)), *_cells(count)])
            meant.append(f"- *{kind}*: {said}")
    lines.append(["all", str(_sum(every)), *_cells(_by(every, "outcome"))])
    return "\n\n".join([table(["mistake", "mutants", *OUTCOMES], lines), "\n".join(meant)])


def _killers(every: Sequence[Mapping[str, Any]]) -> str:
    count = _by([row for row in every if row["outcome"] == "killed"], "by")
    return table(
        ["killed by", "mutants", "because"],
        [[name, str(count[name]), plain(said)] for name, said in KILLERS.items() if count[name]],
    )


def _by_theorem() -> str:
    found: dict[str, Counter[str]] = {}
    seconds: dict[str, float] = {}
    for row in rows("theorems"):
        found.setdefault(row["theorem"], Counter())[row["outcome"]] += row["mutants"]
        seconds[row["theorem"]] = row["seconds"]
    lines = [
        [to_theorem(name), str(count.total()), *_cells(count), f"{seconds[name]:.0f}"]
        for name, count in found.items()
    ]
    return table(["theorem", "mutants", *OUTCOMES, "seconds"], lines)


def _survivors() -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for row in rows("survivors"):
        found.setdefault(row["theorem"], []).append(
            f"- {plain(row['what'])}. {_sentence(row['reason'])} {_sentence(row['nearest'])}".rstrip()
        )
    if not found:
        yield "None."
    for theorem, lines in found.items():
        yield _dropdown(f"{theorem}: {len(lines)}", lines)


def _standing() -> Iterator[str]:
    for outcome in ("not testable", "inside slack", "not proved", "proved"):
        found: dict[str, list[str]] = {}
        for row in rows("standing"):
            if row["outcome"] == outcome:
                term = plain(row["term"] or "a condition")
                why = f"{_sentence(row['reason'])} {_sentence(row['nearest'])}".rstrip()
                line = f"- {term}, {_mutants(row['mutants'])}. {why}"
                found.setdefault(row["theorem"], []).append(line)
        if found:
            yield f"### {outcome[0].upper()}{outcome[1:]}"
            yield f"{plain(OUTCOMES[outcome])[0].upper()}{plain(OUTCOMES[outcome])[1:]}."
            for theorem, lines in found.items():
                yield _dropdown(theorem, lines)


def _dropdown(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f":::{{dropdown}} {title}", *lines, ":::"])


def _sentence(reason: str) -> str:
    """The reason without the outcome, which stands above it, as a sentence."""
    words = reason.removeprefix("not testable: ").removeprefix("inside the measured slack: ").rstrip(".")
    return f"{plain(words[0].upper() + words[1:])}." if words else ""


def _mutants(count: int) -> str:
    return "1 mutant" if count == 1 else f"{count} mutants"


def _cells(count: Mapping[str, int]) -> list[str]:
    return [str(count.get(name) or "") for name in OUTCOMES]


def _by(some: Iterable[Mapping[str, Any]], key: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in some:
        found[row[key]] += row["mutants"]
    return found


def _sum(some: Iterable[Mapping[str, Any]]) -> int:
    return sum(row["mutants"] for row in some)
