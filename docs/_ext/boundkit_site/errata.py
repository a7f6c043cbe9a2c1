"""The errata of the sources, source by source."""

from __future__ import annotations

from itertools import groupby

from boundkit.algebra import Source
from boundkit.algebra.erratum import REASONS, Erratum, Form, drop_repeated_guesses
from boundkit.algebra.printing import bound_latex, conditions_latex
from boundkit.theorems.errata import errata

from .markdown import formula, plain, table, to_theorem


def text() -> str:
    """The generated part of the page."""
    sources = groupby(errata().values(), key=lambda each: _title(each.source))
    return "\n\n".join(
        [
            *(_source(title, list(each)) for title, each in sources),
            "## How errors are found",
            "\n".join(f"- **{reason}**: {plain(meaning)}" for reason, meaning in REASONS.items()),
        ]
    )


def _title(source: Source) -> str:
    who = source.authors[0] + (" et al." if len(source.authors) > 2 else "")
    if len(source.authors) == 2:
        who = " and ".join(source.authors)
    return f"{who} ({source.year}): {source.title}"


def _source(title: str, errors: list[Erratum]) -> str:
    number = errors[0].source.arxiv
    head = ["place", "text", "printed", "why it cannot hold", "corrected", "consequence"]
    parts = [f"## {plain(title)}", f"arXiv:{number}" if number else "", table(head, map(_row, errors))]
    return "\n\n".join(filter(None, parts))


def _row(erratum: Erratum) -> list[str]:
    clauses = [clause.partition("; ")[0].rstrip(".") for clause in drop_repeated_guesses(erratum.refusals())]
    units = [f"{clause[0].upper()}{clause[1:]}.".replace("**", "^") for clause in clauses]
    after = f"<br>{plain(erratum.stated.removeprefix(', ').capitalize())}." if erratum.stated else ""
    links = ", ".join(map(to_theorem, erratum.theorems))
    example = f"`{erratum.example}`" if erratum.example else ""
    return [
        plain(erratum.source.where),
        f"{erratum.text}; found by {erratum.basis}",
        _statement(erratum.printed),
        plain(" ".join([*units, erratum.reason])),
        _statement(erratum.corrected) + after,
        "<br>".join(filter(None, [plain(erratum.consequence), links, example])),
    ]


def _statement(statement: str | Form) -> str:
    if isinstance(statement, str):
        return plain(statement)
    terms = {term.label: term for term in statement.terms}
    formulas = [bound_latex(statement.claim, terms, kind=statement.kind)] if terms else []
    formulas += [conditions_latex([condition]) for condition in statement.conditions]
    return "<br>".join(formula(" ".join(each.split())) for each in formulas)
