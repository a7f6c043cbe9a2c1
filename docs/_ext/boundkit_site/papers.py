"""Errors of the sources: exhibits, then errata of the theorems, source by source."""

from __future__ import annotations

from boundkit.algebra import Source, Theorem
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.printing import bound_latex, conditions_latex
from boundkit.theorems import catalogue
from boundkit.theorems.exhibits import exhibits

from .errata import FOUND, NOBODYS, PLACES, WAYS
from .markdown import plain, table, to_theorem

Said = dict[str, list[Theorem]]
"""The theorems that say an erratum, by its text."""


def text() -> str:
    """The whole of it."""
    return "\n\n".join(
        [
            "## How they were found",
            "\n".join(f"- **{way}**: {plain(meaning)}" for way, meaning in WAYS.items()),
            "## Wrong in any units",
            "These are kept as they were printed, and building boundkit's tests refuses each one anew. "
            "`boundkit check --exhibits` shows them in a terminal.",
            *(_exhibit(one) for one in exhibits().values()),
            "## Source by source",
            "What the theorems say of their own sources. The arrow leads to what stands here instead.",
            *(_source(source, said) for source, said in by_source().items()),
            "## Texts that no theorem is taken from",
            table(
                ["printed", "why it cannot be", "here instead", "found by"],
                [[plain(a), plain(b), c, way] for a, b, c, way in NOBODYS],
            ),
        ]
    )


def by_source() -> dict[str, Said]:
    """Errata by the source that they are about, each once, in the order of the sources' years."""
    found: dict[str, Said] = {}
    for theorem in sorted(catalogue().values(), key=lambda t: (t.source.year, t.source.authors, t.name)):
        for erratum in theorem.errata:
            found.setdefault(_named(theorem.source), {}).setdefault(erratum, []).append(theorem)
    return found


def how(erratum: str) -> tuple[str, str]:
    """Where it stands, and how it was found. Raises StopIteration where ``FOUND`` does not say."""
    return next(said for begins, said in FOUND.items() if erratum.startswith(begins))


def _named(source: Source) -> str:
    who = source.authors[0] + (" et al." if len(source.authors) > 2 else "")
    if len(source.authors) == 2:
        who = " and ".join(source.authors)
    return f"{who} ({source.year}): {source.title}"


def _source(title: str, said: Said) -> str:
    theorems = [t for users in said.values() for t in users]
    numbers = dict.fromkeys(t.source.arxiv for t in theorems if t.source.arxiv)
    at = f"arXiv:{', '.join(numbers)}" if numbers else ""
    rows = [
        [f"{plain(erratum)}<br>{_here(users)}", PLACES[how(erratum)[0]], how(erratum)[1]]
        for erratum, users in said.items()
    ]
    return "\n\n".join(
        part for part in (f"### {plain(title)}", at, table(["finding", "in", "found by"], rows)) if part
    )


def _here(theorems: list[Theorem]) -> str:
    return f"→ {', '.join(to_theorem(t.name) for t in theorems)}"


def _exhibit(exhibit: Exhibit) -> str:
    parts = [
        f"### {exhibit.name.replace('_', ' ')}",
        f"{plain(str(exhibit.source))}. *{plain(exhibit.source.title)}*",
        "Printed:",
        *_form(exhibit, exhibit.printed),
        "It cannot be, because",
        "\n".join(f"- {plain(_clause(refusal))}." for refusal in exhibit.refusals()),
        plain(exhibit.lost),
        *([f"Doubt: {plain(exhibit.doubt)}"] if exhibit.doubt else []),
        "It should read:",
        *_form(exhibit, exhibit.repaired),
        *([_stated(exhibit)] if exhibit.states else []),
    ]
    return "\n\n".join(parts)


def _clause(refusal: str) -> str:
    """What is unlike what, without the guess at what was lost, which the exhibit says better."""
    return refusal.partition("; ")[0].rstrip(".").replace("**", "^")


def _form(exhibit: Exhibit, form: Form) -> list[str]:
    """A bound and conditions as formulas."""
    terms = {term.label: term for term in form.terms}
    formulas = [bound_latex(exhibit.claim, terms, kind=exhibit.kind)] if terms else []
    formulas += [conditions_latex([condition]) for condition in form.conditions]
    return [f"$$\n{formula}\n$$" for formula in formulas]


def _stated(exhibit: Exhibit) -> str:
    """Which theorem states the repaired form, and with what differences."""
    after = exhibit.stated.removeprefix(f", as {exhibit.states} states it")
    comma = "," if after.startswith(",") else ""
    return f"So it stands in {to_theorem(exhibit.states)}{comma} {plain(after.strip(', '))}".rstrip() + "."
