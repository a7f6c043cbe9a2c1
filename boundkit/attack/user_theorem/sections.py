"""Sections of the report on a user's theorem, for terminal, Markdown and HTML."""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boundkit.algebra.printing import Formula
from boundkit.attack.evidence import BOUND
from boundkit.attack.instance_description import describe_instance
from boundkit.attack.mutation import KILLERS
from boundkit.attack.mutation.mutant import MutantResult, Outcome
from boundkit.report import Cell, Tex, join_cells, sentence
from boundkit.report.formatting import join_names
from boundkit.report.text import align_columns

if TYPE_CHECKING:
    from boundkit.attack.user_theorem.examination import Examination

WIDTH = 110
OUTCOME = "outcome"
"""Header of a column whose cells are outcomes."""
NOT_DETECTED: tuple[Outcome, ...] = ("survived", "inside slack", "not testable")
"""Outcomes of mutants that may be false and were not killed, the worst first."""
MOST, _SHOWN, _WHOLE = 12, 4, 0.99
_RELATION = {"lower": "at least", "tight": "equal to", "order": "up to constants at most"}
_UNDECIDED = ("not tested", "undecided")
_NEEDS = "Necessary share of each term"


@dataclass(frozen=True)
class Section:
    """A titled section.

    ``pairs``: names with their values; ``lines``: sentences; ``rows``: a table under ``header``; ``code``:
    lines to be copied verbatim.
    """

    title: str
    lines: tuple[Cell, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    pairs: tuple[tuple[str, Cell], ...] = ()
    code: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lines or self.rows or self.pairs)

    def to_text(self) -> str:
        """Return the section for a terminal."""
        widest = max((len(name) for name, _ in self.pairs), default=0)
        lines = [self.title, *(_wrap(str(value), f"{name:<{widest}}  ") for name, value in self.pairs)]
        lines += [_wrap(str(line)) for line in self.lines]
        if self.rows:
            lines += [
                "  " + row for row in align_columns(self.header, self._fold(), len(self.header)).splitlines()
            ]
        return "\n".join([*lines, *(f"    {line}" for line in self.code)])

    def _fold(self) -> list[list[str]]:
        """Return the rows, their last column on as many lines as it needs."""
        before = [
            max(len(str(row[k])) for row in (self.header, *self.rows)) for k in range(len(self.header) - 1)
        ]
        width = max(WIDTH - sum(before) - 2 * len(self.header), 40)
        folded = []
        for *first, last in self.rows:
            pieces = textwrap.wrap(str(last), width, break_long_words=False, break_on_hyphens=False) or [""]
            folded.append([*map(str, first), pieces[0]])
            folded += [[*("" for _ in first), piece] for piece in pieces[1:]]
        return folded


def _wrap(line: str, name: str = "") -> str:
    indent = " " * (2 + len(line) - len(line.lstrip()))
    hanging = " " * (len(indent) + (len(name) or 2))
    return textwrap.fill(
        line.strip(), WIDTH, initial_indent=indent + name, subsequent_indent=hanging,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def headline(examination: Examination) -> str:
    """Return the answer on one line."""
    name = examination.theorem.name
    if examination.violated:
        return f"{name}: wrong, an instance violates it"
    if examination.failures:
        return f"{name}: a check failed"
    if examination.falsification.answer == "undecided":
        return f"{name}: undecided, an instance may violate it"
    if examination.falsification.answer == "not applicable":
        return f"{name}: no failure without a run, and it was not tested on runs"
    return f"{name}: no failure"


def sections(examination: Examination) -> list[Section]:
    """Return all sections with content, the summary first."""
    makers = (
        _summary, _statement, _static_checks, _reductions, _rates, _worst_instance, _needs, _slopes, _mutants,
        _untested,
    )  # fmt: skip
    return [section for make in makers if (section := make(examination))]


def _summary(examination: Examination) -> Section:
    static, result, verdict = examination.static, examination.falsification, examination.verdict
    passed = sum(f.outcome == "pass" for f in static.checks)
    applicable = sum(f.outcome != "not applicable" for f in static.checks)
    tested, passing = [f"{applicable} checks without a run"], [f"{passed} of {applicable} checks"]
    if result.search is not None:
        tested.append(f"{result.search.tried} instances of {examination.theorem.algorithm}")
        if result.ratio is not None and not examination.violated:
            lower = examination.theorem.kind == "lower"
            passing.append(f"{'bound/measured' if lower else 'measured/bound'} at most {result.ratio:.4g}")
    if verdict is not None:
        slopes = [c for c in verdict.checks if "letter" in c.numbers and c.outcome != "not tested"]
        tested += [f"{len(slopes)} slopes"] if slopes else []
        passing += [f"{sum(c.outcome == 'holds' for c in slopes)} of {len(slopes)} slopes"] if slopes else []
    if examination.mutants is not None:
        every = examination.mutants.results
        true = len(examination.mutants.outcome("weaker", "proved", "not proved"))
        tested.append(f"{len(every)} changed versions")
        killed = (
            f"{len(examination.mutants.outcome('killed'))} of {len(every) - true} wrong versions detected"
        )
        passing.append(killed + (f" (the other {true} of {len(every)} are true)" if true else ""))
    rows: list[tuple[str, Cell]] = [("tested", "; ".join(tested)), ("passed", "; ".join(passing))]
    rows += [("FAILED", failure) for failure in examination.failures]
    if examination.worst_values is not None and not examination.violated:
        rows.append(("worst", examination.worst_values))
    if examination.untested:
        rows.append(("not tested", "; ".join(name for name, _ in examination.untested)))
    return Section("Summary", pairs=tuple(rows))


def _statement(examination: Examination) -> Section:
    theorem = examination.theorem
    claim = Tex(theorem.claim.latex, theorem.claim.plain)
    relation = _RELATION.get(theorem.kind, "at most")
    lines: list[Cell] = [
        sentence(
            f"{theorem.algorithm}: the {theorem.claim.name}, ",
            claim,
            f", is {relation} the sum of the terms below",
        )
    ]
    after: list[Cell] = []
    if theorem.step_size:
        after.append(sentence("where ", join_cells(Formula(c) for c in theorem.step_size)))
    if theorem.requires:
        after.append(sentence("it means something where ", join_cells(Formula(c) for c in theorem.requires)))
    after.append(f"assumes {', '.join(a.name for a in theorem.assumptions) or 'nothing'}")
    rows = tuple((t.label, Formula(t.expr), t.provenance, t.because) for t in theorem.terms)
    return Section("Statement", (*lines, *after), ("term", "formula", "constant", "because"), rows)


def _static_checks(examination: Examination) -> Section:
    """Failed checks, and the names of the others; ``--static`` prints each of them."""
    by = {
        outcome: [f.check for f in examination.static.checks if f.outcome == outcome]
        for outcome in ("pass", "not applicable")
    }
    lines = [f"FAILED {f.check}: {f.why}" for f in examination.static.failures]
    lines += [f"passed: {', '.join(by['pass'])}"] if by["pass"] else []
    lines += [f"not applicable: {', '.join(by['not applicable'])}"] if by["not applicable"] else []
    return Section("Without a run", tuple(lines))


def _reductions(examination: Examination) -> Section:
    suggested = [r for r in examination.reductions if not r.stated]
    lines = [f"stated: {r.to_text()}" for r in examination.reductions if r.stated]
    lines += [f"not stated: {r.to_text()}" for r in suggested]
    lines += [
        f"at {when} {join_names(labels)} vanish{'es' * (len(labels) == 1)}"
        for when, labels in examination.vanishing.items()
    ]
    lines += ["the first one not stated, as a file states it:"] if suggested else []
    return Section("Reductions and limits", tuple(lines), code=tuple(f"{r.code}," for r in suggested[:1]))


def _rates(examination: Examination) -> Section:
    rate = examination.rates.rate
    if rate is None:
        return Section("Rate")
    ours = examination.theorem.name
    first = sentence(
        "with the best step it falls as ", Formula(rate.bound), f", by the {join_names(rate.labels)}"
    )
    return Section("Rate", (first, *(other.to_text(ours) for other in examination.rates.others)))


def _worst_instance(examination: Examination) -> Section:
    result = examination.falsification
    lines = [result.reason if examination.worst_values is None else examination.worst_values]
    if result.worst is not None:
        engine = f", by the {result.worst.engine} engine" if result.worst.engine else ""
        lines += [f"that instance{engine}: "]
        lines[-1] += "; ".join(describe_instance(examination.theorem, result.worst))
    if examination.replay:
        lines.append("replay:")
    elif examination.violated and result.worst is not None:
        lines.append("--out FOLDER keeps it as a run, for boundkit verify.")
    return Section("Against runs", tuple(lines), code=(examination.replay,) if examination.replay else ())


def _needs(examination: Examination) -> Section:
    rows: list[tuple[Cell, ...]] = []
    if examination.violated:  # shares relative to a false bound have no meaning
        return Section(_NEEDS)
    for label, share in examination.falsification.needs.items():
        if label != BOUND:
            rows.append((label, f"{max(share, 0.0):.3g}", _share_meaning(share)))
    source = "by the runs of this search, and by infinitely many clients where the theorem applies to them"
    return Section(_NEEDS, (source,) if rows else (), ("term", "needed", "so that"), tuple(rows))


def _share_meaning(share: float) -> str:
    if share > 1:
        return f"with all others as they are, it is {share:.3g} times too small"
    if share <= 0:
        return "no instance shows that it is needed"
    if share > _WHOLE:
        return "its constant cannot be smaller"
    return f"its constant could be at most {1 / share:.3g} times smaller"


def _slopes(examination: Examination) -> Section:
    if examination.verdict is None:
        return Section("Default instances and slopes")
    rows = tuple(
        (c.name, c.outcome, c.sentence) for c in examination.verdict.checks if c.outcome not in _UNDECIDED
    )
    return Section("Default instances and slopes", (), ("check", OUTCOME, "result"), rows)


def _mutants(examination: Examination) -> Section:
    """Counts of killed mutants by test, and the surviving mutants, the worst first."""
    title = "Wrong versions"
    if examination.mutants is None:
        return Section(title)
    count = Counter(one.by for one in examination.mutants.outcome("killed"))
    lines: list[Cell] = [examination.mutants.headline().partition(": ")[2]]
    lines += [f"{count[by]} killed by {by}: {why}" for by, why in KILLERS.items() if by and count[by]]
    undetected = [one for name in NOT_DETECTED for one in examination.mutants.outcome(name)]
    groups = dict.fromkeys((one.outcome, _because(one)) for one in undetected)
    for outcome, because in list(groups)[:MOST]:
        which = [one.what for one in undetected if (one.outcome, _because(one)) == (outcome, because)]
        lines.append(f"{outcome}: {'; '.join(which)}, because {because}")
    if len(groups) > MOST:
        lines.append("and more; boundkit attack mutants lists all")
    return Section(title, tuple(lines))


def undetected(examination: Examination) -> list[str]:
    """Return the mistakes that would have passed: constants too small by a factor, and wrong versions.

    A constant counts where neither a check without a run nor the reductions notice that it is changed; the
    factor is that by which every instance of the search still stays below the bound.
    """
    result, mistakes = examination.falsification, []
    for label in examination.static.undetected:
        share = result.needs.get(label)
        if examination.violated or share is None or share > _WHOLE:
            continue
        wrong = f"up to {1 / share:.3g} times too small" if share > 0 else "too small by any factor"
        mistakes.append(f"a constant of the {label} {wrong} would pass")
    if examination.mutants is not None:
        undetected = [one.what for name in NOT_DETECTED for one in examination.mutants.outcome(name)]
        more = f"; and {len(undetected) - _SHOWN} more" if len(undetected) > _SHOWN else ""
        mistakes += (
            [f"wrong versions that pass: {'; '.join(undetected[:_SHOWN])}{more}"] if undetected else []
        )
    return mistakes


def _because(one: MutantResult) -> str:
    """Return the reason without the prefix that repeats the outcome."""
    return one.reason.removeprefix(f"{one.outcome}: ").removeprefix("inside the measured slack: ")


def _untested(examination: Examination) -> Section:
    return Section("Not tested", pairs=examination.untested)
