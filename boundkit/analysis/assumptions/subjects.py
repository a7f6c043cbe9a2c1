"""All subjects, in the order in which a theorem lists its assumptions."""

from __future__ import annotations

from boundkit.analysis.assumptions import (
    clock,
    convexity,
    dissimilarity,
    noise,
    objective,
    participation,
    smoothness,
    work,
)
from boundkit.analysis.assumptions.relation import Subject

SUBJECTS: dict[str, Subject] = {
    module.SUBJECT.name: module.SUBJECT
    for module in (smoothness, convexity, noise, dissimilarity, objective, participation, work, clock)
}
"""Each subject by its name."""
