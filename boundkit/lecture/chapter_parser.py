"""A chapter from its Markdown file: prose and directives.

The heading of level 1 is the title, and the paragraph below it the question of the chapter. Headings of
level 2 and directives begin a new part. ``docs/lecture.md`` lists the directives. The right
answer of a question is derived: from the sensitivity of a bound, or from its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Source
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import VECTORS
from boundkit.analysis.predict import predict
from boundkit.analysis.sensitivity import sensitivity
from boundkit.analysis.sensitivity.result import Word
from boundkit.lecture import exercises
from boundkit.lecture.bibliography import cite
from boundkit.lecture.markdown import Directive, MarkdownHeading, blocks, cells, split_at_list
from boundkit.lecture.parts import (
    Chapter,
    Errata,
    Exercise,
    Exercises,
    Explorer,
    Figure,
    Limitations,
    Objective,
    Objectives,
    Part,
    Prose,
    Question,
    Quiz,
    Simulation,
    Slider,
    Stability,
    Statement,
    Table,
    WorkedExample,
)
from boundkit.lecture.published_tables import published_table
from boundkit.lecture.worked_examples import Values, fill
from boundkit.report.formatting import join_names
from boundkit.theorems import theorem
from boundkit.theorems.errata import erratum

EFFECTS: dict[Word, str] = {
    "better": "The bound falls, or stays.",
    "worse": "The bound grows, or stays.",
    "no effect": "Nothing at all.",
    "depends": "It depends on the other quantities.",
}
"""The choices of a question about the effect of a quantity, by the result of ``sensitivity``."""

READINGS = {"fixed steps": "all else fixed", "best eta": "with the best step size each time"}
"""The readings of ``sensitivity`` in words."""


def effect(name: str, quantity: str, change: str, why: str, reading: str = "fixed steps") -> Question:
    """Ask for the effect of a larger ``quantity`` on the bound of a theorem; ``change`` describes it."""
    result = sensitivity(theorem(name), quantity, tuned=reading == "best eta").effect(quantity, reading)
    ask = f"{change}, {READINGS[reading]}. What does the bound `{name}` do?"
    return Question(ask, tuple(EFFECTS.values()), list(EFFECTS).index(result.word), why, derived=True)


def dominant_term(name: str, ask: str, why: str, values: Mapping[str, Any]) -> Question:
    """Ask for the largest term of a theorem at some values."""
    prediction = predict(theorem(name), **values)
    labels = tuple(prediction.terms)
    choices = tuple(f"The {label}." for label in labels)
    return Question(ask, choices, labels.index(prediction.dominant), why, derived=True)


def largest_bound(
    ask: str, why: str, choices: Sequence[tuple[str, str, Mapping[str, Any], float]]
) -> Question:
    """Ask for the largest of several bounds.

    ``choices``: for each its text, the name of a theorem, the values, and a number that divides its bound.
    """
    bounds = [float(predict(theorem(name), **values).total) / divisor for _, name, values, divisor in choices]
    return Question(ask, tuple(c[0] for c in choices), bounds.index(max(bounds)), why, derived=True)


def parse_chapter(text: str, slug: str) -> Chapter:
    """Parse the Markdown of a chapter.

    Raises BoundkitError for a directive, an option, a paper or an exercise that does not exist, for a
    missing option, and for a question without one right choice.
    """
    title, question = "", ""
    parts: list[Part] = []
    sources: tuple[Source, ...] = ()
    for block in blocks(text):
        if isinstance(block, MarkdownHeading) and block.level == 1:
            title = block.text
        elif isinstance(block, MarkdownHeading):
            parts.append(Prose("", block.text))
        elif isinstance(block, Directive) and block.name == "references":
            sources = tuple(cite(item) for item in split_at_list(block.body)[1])
        elif isinstance(block, Directive):
            parts.append(_part(block))
        elif not question:
            question, _, opening = block.partition("\n\n")
            parts += [Prose(opening.strip())] if opening else []
        elif parts and isinstance(parts[-1], Prose):
            parts[-1] = Prose(block, parts[-1].title)
        else:
            parts.append(Prose(block))
    return Chapter(slug, title, question, tuple(parts), sources)


def read_values(text: str) -> dict[str, Any]:
    """Values by name; a vector has a comma between its entries.

    >>> read_values("tau_i=2,5,9 eta=1e-4 C=1/30")
    {'tau_i': [2, 5, 9], 'eta': 0.0001, 'C': 0.03333333333333333}
    """
    pairs = (word.partition("=") for word in text.split())
    return {
        name: [_number(entry) for entry in value.split(",")] if name in VECTORS else _number(value)
        for name, _, value in pairs
    }


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(Fraction(text))


def _part(directive: Directive) -> Part:
    if directive.name not in _PARTS:
        raise unknown("directive", directive.name, _PARTS)
    _check_options(directive)
    return _PARTS[directive.name](directive)


def _check_options(directive: Directive) -> None:
    allowed = _OPTIONS.get(directive.name, ())
    for name in directive.options:
        if name not in allowed:
            raise unknown(f"option of the directive {directive.name}", name, allowed)


def _table(directive: Directive) -> Table:
    caption, rows = cells(directive.body)
    return Table(caption, rows[0], tuple(rows[1:]))


def _published(directive: Directive) -> Table:
    table = published_table(directive.argument)
    caption = f"{table.title} ({table.source}). {table.note}"
    return Table(caption, table.header, table.rows)


def _statement(directive: Directive) -> Statement:
    return Statement(directive.argument, directive.body, "variant" in directive.options)


def _explorer(directive: Directive) -> Explorer:
    return Explorer(
        theorem=directive.argument,
        title=directive.option("title"),
        sliders=tuple(_slider(word) for word in directive.option("sliders").split()),
        along=directive.option("along"),
        values=read_values(directive.option("values")),
        lead=directive.body,
        answer=directive.options.get("answer", ""),
    )


def _slider(word: str) -> Slider:
    name, _, ends = word.partition("=")
    low, high, *scale = ends.split(":")
    return Slider(name, _number(low), _number(high), log=scale != ["linear"])


def _simulation(directive: Directive) -> Simulation:
    return Simulation(directive.argument, directive.body, directive.options.get("answer", ""))


def _stability(directive: Directive) -> Stability:
    return Stability(directive.body, directive.options.get("answer", ""))


def _figure(directive: Directive) -> Figure:
    arguments = tuple(directive.options.get("arguments", "").split())
    return Figure(directive.argument, arguments, directive.body, directive.option("alt"))


def _errata(directive: Directive) -> Errata:
    return Errata(tuple(map(erratum, directive.argument.split())))


def _limitations(directive: Directive) -> Limitations:
    return Limitations(split_at_list(directive.body)[1])


def _objectives(directive: Directive) -> Objectives:
    nested = _nested(directive, "objective")
    return Objectives(tuple(Objective(one.argument, one.body, cite(one.option("source"))) for one in nested))


def _quiz(directive: Directive) -> Quiz:
    nested = tuple(_nested(directive, *_QUESTIONS))
    return Quiz(cache(lambda: tuple(_QUESTIONS[one.name](one) for one in nested)))


def _exercises(directive: Directive) -> Exercises:
    return Exercises(tuple(_exercise(one) for one in _nested(directive, "exercise")))


def _exercise(directive: Directive) -> Exercise:
    name, functions = directive.option("numbers"), vars(exercises)
    if name not in functions:
        raise unknown("exercise", name, functions)
    return Exercise(directive.argument, partial(_worked_example, directive.body, functions[name]))


def _worked_example(
    template: str, numbers: Callable[[np.random.Generator], Values], rng: np.random.Generator
) -> WorkedExample:
    return WorkedExample(*split_at_list(fill(template, numbers(rng))))


def _nested(directive: Directive, *names: str) -> Iterator[Directive]:
    for block in blocks(directive.body):
        if not isinstance(block, Directive) or block.name not in names:
            raise BoundkitError(f"{directive.name} takes only {join_names(names)}, but holds {block!r}.")
        _check_options(block)
        yield block


def _question(directive: Directive) -> Question:
    ask, choices, why = split_at_list(directive.body)
    texts = tuple(re.sub(r"^\[[ x]\]\s+", "", choice) for choice in choices)
    right = [index for index, choice in enumerate(choices) if choice.startswith("[x]")]
    if len(right) != 1:
        raise BoundkitError(f"the question {ask!r} has {len(right)} choices marked [x], but needs one.")
    return Question(ask, texts, right[0], why)


def _effect(directive: Directive) -> Question:
    change, _, why = directive.body.partition("\n\n")
    return effect(
        directive.argument, directive.option("quantity"), change, why,
        directive.options.get("reading", "fixed steps"),
    )  # fmt: skip


def _dominant_term(directive: Directive) -> Question:
    ask, _, why = directive.body.partition("\n\n")
    return dominant_term(directive.argument, ask, why, read_values(directive.option("values")))


def _largest_bound(directive: Directive) -> Question:
    """Each choice ends with its own values in braces, among them ``theorem`` and ``divisor``."""
    ask, choices, why = split_at_list(directive.body)
    common = read_values(directive.options.get("values", ""))
    bounds = []
    for choice in choices:
        text, _, own = choice.removesuffix("}").rpartition(" {")
        words = dict(word.split("=") for word in own.split())
        name, divisor = words.pop("theorem", directive.argument), float(words.pop("divisor", 1))
        values = common | read_values(" ".join(map("=".join, words.items())))
        bounds.append((text, name, values, divisor))
    return largest_bound(ask, why, bounds)


_PARTS: Mapping[str, Callable[[Directive], Part]] = {
    "table": _table,
    "published": _published,
    "theorem": _statement,
    "explorer": _explorer,
    "simulation": _simulation,
    "stability": _stability,
    "figure": _figure,
    "errata": _errata,
    "limitations": _limitations,
    "objectives": _objectives,
    "quiz": _quiz,
    "exercises": _exercises,
}
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "theorem": ("variant",),
    "explorer": ("title", "along", "sliders", "values", "answer"),
    "simulation": ("answer",),
    "stability": ("answer",),
    "figure": ("arguments", "alt"),
    "objective": ("source",),
    "exercise": ("numbers",),
    "effect": ("quantity", "reading"),
    "dominant-term": ("values",),
    "largest-bound": ("values",),
}
_QUESTIONS: Mapping[str, Callable[[Directive], Question]] = {
    "question": _question,
    "effect": _effect,
    "dominant-term": _dominant_term,
    "largest-bound": _largest_bound,
}
