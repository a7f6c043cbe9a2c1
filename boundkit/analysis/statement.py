"""A theorem written out: as a report, as LaTeX, and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from boundkit.algebra import PROVENANCES, Limit, Reduction, Theorem
from boundkit.algebra.erratum import Erratum, Form, drop_repeated_guesses
from boundkit.algebra.printing import bound_latex, bound_plain, conditions_latex, latex, plain
from boundkit.algebra.prose import paragraphs, plain_prose, split_proof
from boundkit.analysis.costs import CostRow, costs_lines, costs_of_theorem
from boundkit.report import Block, Heading, Listing, Report, Sentences
from boundkit.report.formatting import format_number


def summary_row(theorem: Theorem) -> dict[str, Any]:
    """Summary of a theorem in a list; ``constants`` is the weakest provenance of its terms."""
    source = theorem.source
    return {
        "name": theorem.name,
        "title": theorem.title,
        "algorithm": theorem.algorithm,
        "claim": theorem.claim.name,
        "kind": theorem.kind,
        "constants": theorem.constants,
        "assumptions": [a.name for a in theorem.assumptions],
        "source": {
            "authors": list(source.authors),
            "year": source.year,
            "arxiv": source.arxiv,
            "where": source.where,
        },
    }


def statement(theorem: Theorem, errata: Sequence[Erratum] = ()) -> dict[str, Any]:
    """The whole statement of a theorem, clean for JSON; formulas as plain text and as LaTeX."""
    claim, source = theorem.claim, theorem.source
    return summary_row(theorem) | {
        "prose": None if theorem.prose is None else plain_prose(theorem.prose),
        "claim_plain": claim.plain,
        "claim_latex": claim.latex,
        "bound_latex": bound_latex(claim, theorem.bound.terms, kind=theorem.kind),
        "terms": [
            {
                "label": t.label,
                "cause": t.cause,
                **_formula(t.expr),
                "provenance": t.provenance,
                "because": t.because,
            }
            for t in theorem.terms
        ],
        "step_size": [_formula(c) for c in theorem.step_size],
        "rules": _definitions(theorem.rules),
        "requires": [_formula(c) for c in theorem.requires],
        "definitions": _definitions(theorem.definitions),
        "solvers": {name: _definitions(d) for name, d in theorem.solvers.items()},
        "assumes": [{"name": a.name, "meaning": a.meaning, "latex": a.latex} for a in theorem.assumptions],
        "quantities": [
            {
                "name": q.name,
                "latex": q.latex,
                "meaning": q.meaning,
                "domain": str(q.domain),
                "dimension": str(q.dimension),
                "typical": q.typical,
            }
            for q in theorem.quantities
        ],
        "reductions": [
            {
                "to": r.to,
                "when": _plainly(r.when),
                "factors": _plainly(r.factors),
                "leaves": list(r.leaves),
                "holds": r.holds,
                "because": r.because,
            }
            for r in theorem.reductions
        ],
        "limits": [
            {"when": _plainly(k.when), "removes": list(k.removes), "holds": k.holds, "because": k.because}
            for k in theorem.all_limits
        ],
        "costs": [CostRow(cost, {}).to_dict() for cost in costs_of_theorem(theorem)],
        "remarks": list(theorem.remarks),
        "errata": list(map(str, errata)),
        "reference": {
            "title": source.title,
            "venue": source.venue,
            "note": source.note,
            "renamed": _plainly(source.renamed),
            "bibtex": source.bibtex(),
        },
    }


def statement_latex(theorem: Theorem) -> str:
    """The bound and the conditions as two displays, ready to paste where amsmath is loaded."""
    displays = [bound_latex(theorem.claim, theorem.bound.terms, kind=theorem.kind)]
    conditions = (*theorem.step_size, *theorem.requires)
    displays += [conditions_latex(conditions)] if conditions else []
    displays += [f"{latex(q)} = {latex(e)}" for q, e in theorem.rules.items()]
    displays += [f"{latex(q)} = {latex(e)}" for q, e in theorem.definitions.items()]
    return "\n".join(f"\\[\n{display}\n\\]" for display in displays)


def statement_report(theorem: Theorem, proof: bool = False, errata: Sequence[Erratum] = ()) -> Report:
    """The statement, its conditions, assumptions and symbols.

    With ``proof`` also the docstring's proof, the origin of the constants, reductions, limits, costs and
    remarks.
    """
    prose = split_proof(plain_prose(theorem.prose))
    bound = bound_plain(theorem.claim, theorem.bound.terms, theorem.kind)
    solvers = [f"{name}: {q} = {plain(e)}" for name, d in theorem.solvers.items() for q, e in d.items()]
    constants = [f"{t.label} ({t.provenance}): {t.because}" for t in theorem.terms]
    blocks: list[Block] = [
        Heading("\n".join(filter(None, [theorem.name, theorem.title]))),
        Sentences(list(filter(None, [warning(theorem)]))),
        *(Sentences([part], wrapped=True) for part in paragraphs(prose.reading) if proof),
        Sentences([bound]),
        Listing("Steps", [plain(c) for c in theorem.step_size]),
        Listing("At", [f"{q} = {plain(e)}" for q, e in theorem.rules.items()]),
        Listing("Requires", [plain(c) for c in theorem.requires]),
        Listing("Where", [f"{q} = {plain(e)}" for q, e in theorem.definitions.items()]),
        Listing("Local solvers", solvers),
        *([Listing("Constants", constants)] if proof else []),
        Listing("Assumes", [f"{a.name}: {a.meaning}" for a in theorem.assumptions]),
        Listing("Symbols", [f"{q.name}: {q.meaning}, {q.dimension}" for q in theorem.quantities]),
        *(_details(theorem) if proof else []),
        Listing("Errata", list(map(str, errata))),
        Listing("Source", [_source(theorem)]),
        *([Sentences(paragraphs(prose.proof), wrapped=True)] if proof and prose.proof else []),
    ]
    return Report(tuple(blocks))


def _details(theorem: Theorem) -> list[Listing]:
    return [
        Listing("Becomes", [reduction_text(r) for r in theorem.reductions]),
        Listing("Limits", [limit_text(k) for k in theorem.all_limits]),
        Listing("Costs of a round", costs_lines(theorem)),
        Listing("Remarks", theorem.remarks),
    ]


def warning(theorem: Theorem) -> str:
    """Remarks before the formula: unspecified constants, and terms that are recalled."""
    remarks = ["Order-level bound: its constants are not known."] if theorem.order_level else []
    if theorem.constants == "recalled":
        remarks.append(f"Recalled: {PROVENANCES['recalled']}.")
    return " ".join(remarks)


def _formula(expr: Any) -> dict[str, str]:
    return {"plain": plain(expr), "latex": latex(expr)}


def _definitions(definitions: Mapping[Any, Any]) -> list[dict[str, str]]:
    return [{"name": str(q), "quantity": latex(q), **_formula(e)} for q, e in definitions.items()]


def _plainly(mapping: Mapping[Any, Any]) -> dict[str, str]:
    return {str(k): plain(v) for k, v in mapping.items()}


def _values_text(when: Mapping[Any, Any], write: Callable[[Any], str]) -> str:
    return ", ".join(
        f"{write(k)} = {format_number(v) if isinstance(v, (int, float)) else write(v)}"
        for k, v in when.items()
    )


def reduction_text(reduction: Reduction, write: Callable[[Any], str] = plain) -> str:
    """A reduction in words; ``write`` writes its expressions."""
    verb = "becomes" if reduction.holds else "does NOT become, with these constants,"
    factors = ", ".join(f"{label} times {write(f)}" for label, f in reduction.factors.items())
    leaves = ", ".join(reduction.leaves)
    place = f"at {_values_text(reduction.when, write)}" if reduction.when else "everywhere"
    text = f"{place} it {verb} {reduction.to}"
    text += f" with {factors}" if factors else ""
    text += f", and {leaves} is left over" if leaves else ""
    return text + (f": {reduction.because}" if reduction.because else "")


def limit_text(limit: Limit, write: Callable[[Any], str] = plain) -> str:
    """A limit in words; ``write`` writes its expressions."""
    verb = "removes" if limit.holds else "does NOT remove all of"
    text = f"{_values_text(limit.when, write)} {verb} {', '.join(limit.removes)}"
    return text + (f": {limit.because}" if limit.because else "")


def _source(theorem: Theorem) -> str:
    source = theorem.source
    letters = "; ".join(f"their {theirs} is our {plain(ours)}" for theirs, ours in source.renamed.items())
    return (
        ". ".join(part for part in (f"{source}. {source.title}", source.note.rstrip("."), letters) if part)
        + "."
    )


_WIDTH = 100


def erratum_text(erratum: Erratum) -> str:
    """An erratum for a terminal, in paragraphs."""
    sections = [
        _section("Source", [str(erratum.source)]),
        _section("Printed", _lines(erratum.printed)),
        _section(
            "Fails",
            [*(t.replace("**", "^") for t in drop_repeated_guesses(erratum.refusals())), erratum.reason],
        ),
        _section("Corrected", _lines(erratum.corrected)),
        _section("Stated", [f"{erratum.stated.removeprefix(', ')}."] if erratum.stated else []),
        _section("Consequence", [erratum.consequence]),
        _section("Theorems", [", ".join(erratum.theorems)] if erratum.theorems else []),
        _section("Example", [erratum.example] if erratum.example else []),
    ]
    return "\n".join([erratum.name, *(s for s in sections if s)])


def erratum_dict(erratum: Erratum) -> dict[str, Any]:
    """An erratum, clean for JSON."""
    return {
        "erratum": erratum.name,
        "source": str(erratum.source),
        "text": erratum.text,
        "basis": erratum.basis,
        "printed": _lines(erratum.printed),
        "refusals": list(erratum.refusals()),
        "reason": erratum.reason,
        "corrected": _lines(erratum.corrected),
        "consequence": erratum.consequence,
        "theorems": list(erratum.theorems),
        "at": {str(quantity): plain(value) for quantity, value in erratum.at.items()},
        "up_to": erratum.up_to or None,
        "example": erratum.example or None,
    }


def _lines(statement: str | Form) -> list[str]:
    return [statement] if isinstance(statement, str) else statement.lines()


def _section(title: str, items: list[str]) -> str:
    """The items below each other, behind the title."""
    lines = []
    for place, item in enumerate(items):
        before = f"  {'' if place else title:<13}"
        wrapped = textwrap.wrap(item, _WIDTH - len(before), break_on_hyphens=False, break_long_words=False)
        lines += [f"{' ' * len(before) if i else before}{line}" for i, line in enumerate(wrapped)]
    return "\n".join(lines)
