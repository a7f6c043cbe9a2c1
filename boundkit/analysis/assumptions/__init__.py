"""What is known of assumptions: one subject a file, as data."""

from boundkit.analysis.assumptions.relation import NATURES, Conflict, Implication, Nature, Refutation, Subject
from boundkit.analysis.assumptions.subjects import SUBJECTS

__all__ = ["NATURES", "SUBJECTS", "Conflict", "Implication", "Nature", "Refutation", "Subject"]
