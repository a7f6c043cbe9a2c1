"""The parts of a chapter, as data; their appearance is in ``templates``.

Prose is Markdown with formulas between dollars. Theorems, figures and simulations are named, never copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boundkit.algebra import Source
from boundkit.algebra.erratum import Erratum


@dataclass(frozen=True)
class Prose:
    """Paragraphs, below a heading where there is a ``title``."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A comparison with Markdown in every cell; the first column heads the rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Statement:
    """A theorem of the catalogue: claim, terms under-braced by cause, conditions, assumptions, source.

    ``lead``: a sentence or two on how to read it. A ``variant`` of the section's theorem is folded.
    """

    theorem: str
    lead: str = ""
    variant: bool = False


@dataclass(frozen=True)
class Slider:
    """A quantity that the reader changes between ``low`` and ``high``, on a log scale where ``log``."""

    name: str
    low: float
    high: float
    log: bool = True


@dataclass(frozen=True)
class Explorer:
    """Sliders for the terms of a theorem: a stacked chart against ``along``, one of the sliders.

    ``values``: the initial values of the sliders and the fixed ones, by keyword (others are typical values).
    ``lead``: a question that the sliders answer; ``answer``: its answer, for the lecturer.
    """

    theorem: str
    title: str
    sliders: tuple[Slider, ...]
    along: str
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    lead: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Simulation:
    """An exact simulation in the page: a key of ``boundkit.lecture.page_data.PRESETS``.

    ``lead``: a question that its controls answer; ``answer``: its answer, for the lecturer.
    """

    preset: str
    lead: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Stability:
    """The live map of an outer optimiser: stability, speed and noise over momentum and step.

    ``lead`` and ``answer``: as in a simulation.
    """

    lead: str
    answer: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure of the gallery with its arguments; ``lead`` is its caption, ``alt`` its text alternative."""

    figure: str
    arguments: tuple[str, ...] = ()
    lead: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Question:
    """A question with its choices; ``right`` counts from 0; ``why`` is shown after an answer.

    ``derived``: whether boundkit computed the right answer from a bound.
    """

    ask: str
    choices: tuple[str, ...]
    right: int
    why: str
    derived: bool = False


@dataclass(frozen=True)
class Quiz:
    """Questions of a chapter; ``make`` computes the answers that are derived from bounds."""

    make: Callable[[], tuple[Question, ...]]


@dataclass(frozen=True)
class WorkedExample:
    """An exercise with numbers: the task, the steps of the solution, and the answer."""

    task: str
    steps: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Exercise:
    """A task with random numbers; ``make`` draws them and computes the solution with boundkit."""

    title: str
    make: Callable[[np.random.Generator], WorkedExample]


@dataclass(frozen=True)
class Exercises:
    """The exercises of a chapter."""

    exercises: tuple[Exercise, ...]


@dataclass(frozen=True)
class Objective:
    """A modified objective: its formula, its effect, and what is open."""

    name: str
    text: str
    source: Source


@dataclass(frozen=True)
class Objectives:
    """Several modified objectives, one below the other."""

    objectives: tuple[Objective, ...]


@dataclass(frozen=True)
class Errata:
    """Errata of the sources of a section, folded."""

    errata: tuple[Erratum, ...]


@dataclass(frozen=True)
class Limitations:
    """Questions that the theorems of the chapter leave open; the remarks of each theorem are added."""

    sentences: tuple[str, ...]


Part = (
    Prose
    | Table
    | Statement
    | Explorer
    | Simulation
    | Stability
    | Figure
    | Quiz
    | Exercises
    | Objectives
    | Errata
    | Limitations
)


@dataclass(frozen=True)
class Chapter:
    """A page: ``slug`` names its file, ``question`` is the question that it answers.

    ``sources``: works that are cited in addition to the sources of its theorems.
    """

    slug: str
    title: str
    question: str
    parts: tuple[Part, ...]
    sources: tuple[Source, ...] = ()

    @property
    def theorems(self) -> tuple[str, ...]:
        """The names of the theorems that are stated or explored, in that order."""
        named = (p.theorem for p in self.parts if isinstance(p, Statement | Explorer))
        return tuple(dict.fromkeys(named))
