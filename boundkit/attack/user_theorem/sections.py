"""What a page says, section by section."""

from __future__ import annotations

from collections import Counter

from boundkit.algebra.notebook import Cell, Formula, Tex, line, listed
from boundkit.analysis.formatting import joined
from boundkit.attack.instance_description import sentences
from boundkit.attack.mutation import KILLERS
from boundkit.attack.mutation.judgement import Judgement, Outcome
from boundkit.attack.objectives import BOUND
from boundkit.attack.user_theorem.page import Page
from boundkit.attack.user_theorem.section import OUTCOME, Section

_RELATION = {"lower": "at least", "tight": "equal to", "order": "up to constants at most"}

STANDING: tuple[Outcome, ...] = ("survived", "inside slack", "not testable")
"""Outcomes of mutants that may be false and were not killed, the worst first."""
MOST, _WHOLE = 12, 0.99


def headline(page: Page) -> str:
    """The answer in one line."""
    name = page.theorem.name
    if page.broken:
        return f"{name}: wrong, an instance breaks it"
    if page.failed:
        return f"{name}: a check failed"
    if page.falsified.answer == "undecided":
        return f"{name}: undecided, an instance may break it"
    if page.falsified.answer == "not applicable":
        return f"{name}: nothing found against it without a run, and no run was held against it"
    return f"{name}: nothing found against it"


def sections(page: Page) -> list[Section]:
    """All sections that have something to say, the summary first."""
    every = (_short(page), _statement(page), _checks(page), _becomes(page), _rates(page), _worst(page),
             _needs(page), _slopes(page), _mutants(page), _untested(page))  # fmt: skip
    return [section for section in every if section]


def _short(page: Page) -> Section:
    report, found, verdict = page.report, page.falsified, page.verdict
    passed = sum(f.outcome == "pass" for f in report.findings)
    asked = sum(f.outcome != "not applicable" for f in report.findings)
    tested, held = [f"{asked} checks without a run"], [f"{passed} of {asked} checks"]
    if found.attack is not None:
        tested.append(f"{found.attack.tried} instances of {page.theorem.algorithm}")
        if found.ratio is not None and not page.broken:
            held.append(f"{_over(page)} at most {found.ratio:.4g}")
    if verdict is not None:
        fitted = [c for c in verdict.checks if "letter" in c.numbers and c.outcome != "not tested"]
        tested += [f"{len(fitted)} slopes"] if fitted else []
        held += [f"{sum(c.outcome == 'holds' for c in fitted)} of {len(fitted)} slopes"] if fitted else []
    if page.mutants is not None:
        every = page.mutants.judgements
        true = len(page.mutants.outcome("weaker", "not proved"))
        tested.append(f"{len(every)} changed versions")
        said = f"{len(page.mutants.outcome('killed'))} of {len(every) - true} wrong versions found out"
        held.append(said + (f" (the other {true} of {len(every)} claim no more than it)" if true else ""))
    rows: list[tuple[str, Cell]] = [("tested", "; ".join(tested)), ("held", "; ".join(held))]
    rows += [("FAILED", said) for said in page.failed]
    if page.faced is not None and not page.broken:
        rows.append(("worst", page.faced))
    if page.untested:
        rows.append(("not tested", "; ".join(what for what, _ in page.untested)))
    return Section("In short", pairs=tuple(rows))


def _statement(page: Page) -> Section:
    theorem = page.theorem
    claim = Tex(theorem.claim.latex, theorem.claim.plain)
    relation = _RELATION.get(theorem.kind, "at most")
    lines: list[Cell] = [
        line(
            f"{theorem.algorithm}: the {theorem.claim.name}, ",
            claim,
            f", is {relation} the sum of the terms below",
        )
    ]
    after: list[Cell] = []
    if theorem.step_size:
        after.append(line("where ", listed(Formula(c) for c in theorem.step_size)))
    if theorem.requires:
        after.append(line("it means something where ", listed(Formula(c) for c in theorem.requires)))
    after.append(f"assumes {', '.join(a.name for a in theorem.assumptions) or 'nothing'}")
    rows = tuple((t.label, Formula(t.expr), t.provenance, t.because) for t in theorem.terms)
    return Section("Statement", (*lines, *after), ("term", "formula", "constant", "because"), rows)


def _checks(page: Page) -> Section:
    """Those that failed, and the names of the others; each alone is said by ``--static``."""
    by = {
        outcome: [f.check for f in page.report.findings if f.outcome == outcome]
        for outcome in ("pass", "not applicable")
    }
    lines = [f"FAILED {f.check}: {f.why}" for f in page.report.failures]
    lines += [f"passed: {', '.join(by['pass'])}"] if by["pass"] else []
    lines += [f"not applicable: {', '.join(by['not applicable'])}"] if by["not applicable"] else []
    return Section("Without a run", tuple(lines))


def _becomes(page: Page) -> Section:
    said = [b.to_text() for b in page.becomes if b.stated]
    more = [b for b in page.becomes if not b.stated]
    lines = [f"stated: {text}" for text in said]
    lines += [f"not stated: {b.to_text()}" for b in more]
    lines += [f"at {when} nothing is left of the {joined(gone)}" for when, gone in page.vanishing.items()]
    lines += ["the first that is not stated, as a file states it:"] if more else []
    return Section("Reductions and limits", tuple(lines), code=tuple(f"{b.code}," for b in more[:1]))


def _rates(page: Page) -> Section:
    law = page.rates.law
    if law is None:
        return Section("Rate")
    ours = page.theorem.name
    first = line("with the best step it falls as ", Formula(law.bound), f", by the {joined(law.labels)}")
    return Section("Rate", (first, *(each.to_text(ours) for each in page.rates.others)))


def _worst(page: Page) -> Section:
    found = page.falsified
    lines = [found.reason if page.faced is None else page.faced]
    if found.worst is not None:
        engine = f", by the {found.worst.engine} engine" if found.worst.engine else ""
        lines += [f"that instance{engine}: "]
        lines[-1] += "; ".join(sentences(page.theorem, found.worst))
    if page.replay:
        lines.append("the same run again:")
    return Section("Against runs", tuple(lines), code=(page.replay,) if page.replay else ())


def _needs(page: Page) -> Section:
    rows: list[tuple[Cell, ...]] = []
    if page.broken:  # what the other terms would have to be says nothing of a bound that is wrong
        return Section("How much of each term was needed")
    for label, share in page.falsified.needs.items():
        if label != BOUND:
            rows.append((label, f"{max(share, 0.0):.3g}", _so(share)))
    heard = "by the runs of this search, and by infinitely many clients where the theorem speaks of them"
    return Section(
        "How much of each term was needed",
        (heard,) if rows else (),
        ("term", "needed", "so that"),
        tuple(rows),
    )


def _so(share: float) -> str:
    if share > 1:
        return f"with all others as they are, it is {share:.3g} times too small"
    if share <= 0:
        return "no instance showed that it is needed"
    if share > _WHOLE:
        return "none of its constant can be spared"
    return f"its constant could be at most {1 / share:.3g} times smaller"


def _slopes(page: Page) -> Section:
    if page.verdict is None:
        return Section("Default instances and slopes")
    rows = tuple((c.name, c.outcome, c.sentence) for c in page.verdict.checks if c.outcome not in _OPEN)
    return Section("Default instances and slopes", (), ("check", OUTCOME, "what was seen"), rows)


def _mutants(page: Page) -> Section:
    """Who found the wrong versions out, and those that nobody did, the worst first."""
    title = "Wrong versions of it"
    if page.mutants is None:
        return Section(title)
    count = Counter(one.by for one in page.mutants.outcome("killed"))
    lines: list[Cell] = [page.mutants.headline().partition(": ")[2]]
    lines += [f"{count[by]} killed by {by}: {why}" for by, why in KILLERS.items() if by and count[by]]
    standing = [one for name in STANDING for one in page.mutants.outcome(name)]
    alike = dict.fromkeys((one.outcome, _because(one)) for one in standing)
    for outcome, because in list(alike)[:MOST]:
        which = [one.what for one in standing if (one.outcome, _because(one)) == (outcome, because)]
        lines.append(f"{outcome}: {'; '.join(which)}, because {because}")
    if len(alike) > MOST:
        lines.append("and more, of which boundkit mutate has all")
    return Section(title, tuple(lines))


def _because(one: Judgement) -> str:
    """The reason without the words that the outcome has said."""
    return one.reason.removeprefix(f"{one.outcome}: ").removeprefix("inside the measured slack: ")


def _untested(page: Page) -> Section:
    return Section("What could not be tested", pairs=page.untested)


def _over(page: Page) -> str:
    return "bound/measured" if page.theorem.kind == "lower" else "measured/bound"


_OPEN = ("not tested", "undecided")
