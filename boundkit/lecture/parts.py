"""What a chapter is made of. A part says what is shown; how it looks is in ``templates``.

Prose is Markdown with formulas between dollars; a theorem, a figure, a simulation is named, never copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from boundkit.algebra import Source


@dataclass(frozen=True)
class Prose:
    """Paragraphs, with a heading of their own where there is a ``title``."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Table:
    """A comparison: Markdown in every cell; the first column heads the rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Statement:
    """A theorem of the catalogue: claim, terms under-braced by cause, conditions, assumptions, source.

    ``lead``: a sentence or two on how to read it.
    """

    theorem: str
    lead: str = ""


@dataclass(frozen=True)
class Slider:
    """A quantity that the reader moves, between ``low`` and ``high``, on a log scale where ``log``."""

    name: str
    low: float
    high: float
    log: bool = True


@dataclass(frozen=True)
class Explorer:
    """Sliders that drive the terms of a theorem: a stacked chart against ``along``, one of the sliders.

    ``values``: what the sliders begin with, and what stays fixed, by keyword (others take typical values).
    ``ask``: what to find out by moving them. ``title``: of the figure.
    """

    theorem: str
    title: str
    sliders: tuple[Slider, ...]
    along: str
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)
    ask: str = ""


@dataclass(frozen=True)
class Live:
    """A live exact simulation: a key of ``boundkit.lecture.simulation_data.SETTINGS``."""

    settings: str
    lead: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure of the gallery with the words after its name; ``lead`` says what to see, ``alt`` says it
    to who does not."""

    figure: str
    words: tuple[str, ...] = ()
    lead: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Question:
    """One question with its choices; ``right`` counts from 0; ``why`` is shown after an answer."""

    ask: str
    choices: tuple[str, ...]
    right: int
    why: str


@dataclass(frozen=True)
class Quiz:
    """Questions of a chapter. ``make`` derives them, so that no answer is written down twice."""

    make: Callable[[], tuple[Question, ...]]
    title: str = "Quiz"


@dataclass(frozen=True)
class Worked:
    """An exercise with its numbers in it: the task, the steps of the solution, and the answer."""

    task: str
    steps: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Exercise:
    """A task whose numbers are drawn; ``make`` computes the solution with boundkit from the drawn numbers.

    The page holds several drawings of each.
    """

    title: str
    make: Callable[[np.random.Generator], Worked]


@dataclass(frozen=True)
class Exercises:
    """The exercises of a chapter."""

    exercises: tuple[Exercise, ...]


@dataclass(frozen=True)
class Objective:
    """A modified objective: its LaTeX, what it changes, and what is open."""

    name: str
    latex: str
    meaning: str
    source: Source | None = None


@dataclass(frozen=True)
class Objectives:
    """Several modified objectives, one below the other."""

    objectives: tuple[Objective, ...]


@dataclass(frozen=True)
class Limits:
    """What the theorems of the chapter do not say, a sentence each; their own remarks are added."""

    sentences: tuple[str, ...]


Part = Prose | Table | Statement | Explorer | Live | Picture | Quiz | Exercises | Objectives | Limits


@dataclass(frozen=True)
class Chapter:
    """One page: ``slug`` names its file, ``question`` is what it answers, ``sources`` what it cites beside
    the sources of its theorems."""

    slug: str
    title: str
    question: str
    parts: tuple[Part, ...]
    sources: tuple[Source, ...] = ()

    @property
    def theorems(self) -> tuple[str, ...]:
        """The theorems that are stated or explored, in that order."""
        named = (p.theorem for p in self.parts if isinstance(p, Statement | Explorer))
        return tuple(dict.fromkeys(named))
