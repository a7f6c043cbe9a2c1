"""All subjects, in the order in which a theorem lists its assumptions."""

from __future__ import annotations

from boundkit.analysis.assumptions import (
    convexity,
    dissimilarity,
    local_work,
    noise,
    objective,
    participation,
    smoothness,
    time,
)
from boundkit.analysis.assumptions.relation import Subject

SUBJECTS: dict[str, Subject] = {
    module.SUBJECT.name: module.SUBJECT
    for module in (smoothness, convexity, noise, dissimilarity, objective, participation, local_work, time)
}
"""Each subject by its name."""
