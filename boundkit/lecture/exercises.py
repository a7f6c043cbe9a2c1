"""Exercises with their numbers in them: several drawings of each, the same for the same seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.lecture.parts import Exercise, Worked

DRAWINGS = 4
"""How many a page holds of each exercise."""


@dataclass(frozen=True)
class Drawn:
    """An exercise with its drawings."""

    title: str
    drawings: tuple[Worked, ...]


def drawn(exercise: Exercise, seed: int = 0) -> Drawn:
    """The drawings of an exercise; those that came out alike are kept once."""
    streams = np.random.SeedSequence([seed, *exercise.title.encode()]).spawn(DRAWINGS)
    made = [exercise.make(np.random.default_rng(stream)) for stream in streams]
    return Drawn(exercise.title, tuple(dict.fromkeys(made)))
