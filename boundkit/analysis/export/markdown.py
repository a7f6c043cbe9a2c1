"""Markdown pages of the theorems."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sympy import Expr

from boundkit.algebra import BoundkitError, Quantity, Term, Theorem
from boundkit.algebra.erratum import Erratum
from boundkit.algebra.notation import m
from boundkit.algebra.printing import bound_latex, conditions_latex, latex, plain
from boundkit.algebra.prose import FORMULA, break_formula, formula_latex, paragraphs, split_proof
from boundkit.analysis.costs import costs_of_theorem
from boundkit.analysis.statement import limit_text, reduction_text, warning

_MARKS = {"lower": "lower bound, ", "tight": "equality, ", "order": "order only, "}


def page(theorem: Theorem, checked: str = "", errata: Sequence[Erratum] = ()) -> str:
    """The whole theorem in Markdown, formulas in dollars: the bound first, the proof folded under it.

    ``checked``: the machine-checked proof as Markdown, in place of one in the theorem's docstring.
    """
    source = theorem.source
    prose = split_proof(theorem.prose)
    first, *reading = paragraphs(prose.reading) or [""]
    identity = f"Its name in boundkit is `{theorem.name}`."
    parts = [
        f"# {theorem.title or theorem.name}",
        f"{_prose(first)} {identity}".lstrip(),
        *([f"*{warning(theorem)}*"] if warning(theorem) else []),
        display_bound(theorem),
        *_proof(prose.proof, checked),
        "## How to read it",
        *map(_prose, reading),
        _table(
            ["term", "constant", "why"],
            [[_term(t), t.provenance, _cell(t.because)] for t in theorem.terms],
        ),
        "## Conditions",
        *_conditions(theorem),
        *_definitions("At the steps", theorem.rules),
        *_definitions("Where", theorem.definitions),
        *(part for name, d in theorem.solvers.items() for part in _definitions(f"Local solver `{name}`", d)),
        "Assumed:",
        "\n".join(
            f"- **{a.name}**: {a.meaning}" + (f": ${a.latex}$" if a.latex else "")
            for a in theorem.assumptions
        ),
        *_list("Becomes", [reduction_text(r, _typed) for r in theorem.reductions]),
        *_list("Limits", [limit_text(k, _typed) for k in theorem.all_limits]),
        "## Quantities",
        _table(
            ["symbol", "keyword", "meaning", "dimension"],
            [
                [f"${q.latex}$", f"`{q.name}`", _cell(q.meaning), f"`{q.dimension}`"]
                for q in _quantities(theorem)
            ],
        ),
        *_costs(theorem),
        *_list("Remarks", list(theorem.remarks)),
        *_list("Errata", list(map(str, errata))),
        "## Source",
        f"{source}. *{source.title}*. {_prose(source.note)}".strip(),
        *([f"Their notation: {_renamed(source.renamed)}."] if source.renamed else []),
        f"```bibtex\n{source.bibtex()}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _term(term: Term) -> str:
    """Its label, and its cause where that has another name."""
    return term.label if term.label == term.cause else f"{term.label} ({term.cause})"


def display_bound(theorem: Theorem) -> str:
    """The bound between double dollars."""
    return _display(bound_latex(theorem.claim, theorem.bound.terms, kind=theorem.kind))


def _proof(proof: str, checked: str) -> list[str]:
    if checked:
        return ["<details>\n<summary>Proof, machine-checked</summary>", checked.strip(), "</details>"]
    if not proof:
        return []
    return ["<details>\n<summary>Proof</summary>", *map(_prose, paragraphs(proof)), "</details>"]


def index(theorems: Mapping[str, Theorem]) -> str:
    """The table of all pages, by algorithm."""
    return (
        "# The catalogue\n\nOne page for each theorem, printed by `boundkit export --all`.\n\n"
        f"{len(theorems)} theorems.\n\n{table(theorems)}\n"
    )


def table(theorems: Mapping[str, Theorem], address: str = "{name}.md") -> str:
    """Table of the theorems, by algorithm, with links to their pages or files."""
    rows = [
        [
            f"[{name}]({address.format(name=name)})",
            f"`{t.algorithm}`",
            _cell(t.claim.name),
            _MARKS.get(t.kind, "") + t.constants,
            f"{t.source.authors[0]} {t.source.year}",
        ]
        for name, t in sorted(theorems.items(), key=lambda item: (item[1].algorithm, item[0]))
    ]
    return _table(["theorem", "algorithm", "bounds", "constants", "after"], rows)


def _quantities(theorem: Theorem) -> list[Quantity]:
    defined = {**theorem.definitions, **{q: e for d in theorem.solvers.values() for q, e in d.items()}}
    inside = {s for e in defined.values() for s in e.free_symbols} | set(defined)
    return [*theorem.quantities, *sorted(inside - set(theorem.quantities), key=str)]


def _prose(text: str) -> str:
    """Prose with its formulas set, and without markup: a star is multiplication or an optimum."""
    return "".join(
        _formula(part) if k % 2 else _plain_text(part) for k, part in enumerate(FORMULA.split(text.strip()))
    )


def _formula(typed: str) -> str:
    """A typed formula as LaTeX between dollars, in pieces; one that cannot be read stays as it was typed."""
    try:
        first, *others = map(formula_latex, break_formula(typed))
        return " ".join([f"${first}$", *(f"${{}} {piece}$" for piece in others)])
    except BoundkitError:
        return f"`{typed}`"


def _plain_text(text: str) -> str:
    return re.sub(r"([*~]|^\s*[-+](?=\s)|^\s*\d+(?=\. ))", _escaped, text, flags=re.MULTILINE)


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    return f"{sign}\\" if sign.strip().isdigit() else f"{sign[:-1]}\\{sign[-1]}"


def _display(formula: str) -> str:
    return f"$$\n{formula}\n$$"


def _conditions(theorem: Theorem) -> list[str]:
    parts = []
    if theorem.step_size:
        parts += ["For steps with", _display(conditions_latex(theorem.step_size))]
    if theorem.requires:
        parts += ["It needs", _display(conditions_latex(theorem.requires))]
    return parts


def _definitions(title: str, definitions: Mapping[Quantity, Expr]) -> list[str]:
    if not definitions:
        return []
    lines = " \\\\\n".join(f"{latex(q)} &= {latex(e)}" for q, e in definitions.items())
    return [title, _display(f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}")]


def _costs(theorem: Theorem) -> list[str]:
    costs = costs_of_theorem(theorem)
    parts = ["## Costs of a round"] if costs else []
    for cost in costs:
        total = cost.round()
        header = [f"`{cost.label}`", f"each of {_math(cost.clients)} clients", "all clients", "the server"]
        rows = [
            ["receives", _math(cost.down), _math(total["down"]), _math(total["up"])],
            ["sends", _math(cost.up), _math(total["up"]), _math(total["down"])],
            ["gradients", _math(cost.gradients), _math(total["gradients"]), "0"],
            ["keeps to the next round", _math(cost.client), _math(m * cost.client), _math(cost.server)],
        ]
        remark = "; ".join(filter(None, (cost.state, cost.note)))
        parts += [_table(header, rows), *([_prose(f"{remark[0].upper()}{remark[1:]}.")] if remark else [])]
    return parts


def _math(expr: object) -> str:
    return f"${latex(expr)}$"


def _typed(expr: object) -> str:
    """An expression as a formula of prose."""
    return f"${plain(expr)}$"


def _list(title: str, items: list[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {_prose(item)}" for item in items)] if items else []


def _renamed(renamed: Mapping[str, Expr]) -> str:
    return "; ".join(f"their {theirs} is {_math(ours)}" for theirs, ours in renamed.items())


def _cell(text: str) -> str:
    return _prose(text).replace("|", r"\|")


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
