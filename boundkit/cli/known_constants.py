"""The constants of a bound from both sides: before and now, necessary ones, and those that searches found."""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.analysis.necessary_constants import NecessaryConstants, necessary_constants, sharpened_theorem
from boundkit.attack.atlas_record import FILE
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.theorems import catalogue
from boundkit.theorems.catalogue import lower_bounds


def known_constants(theorem: Theorem) -> NecessaryConstants:
    """Compare a theorem with the lower bounds of its algorithm, the catalogue and the record of the atlas.

    Raises BoundkitError where the record is missing or damaged.
    """
    answer = necessary_constants(theorem, lower_bounds(theorem.algorithm))
    if not answer.terms:
        return answer
    columns = read_demonstration(FILE).columns
    shares = {
        term: float(share)
        for name, term, share in zip(
            columns["terms theorem"], columns["terms term"], columns["terms share"], strict=True
        )
        if name == theorem.name and share is not None
    }
    return answer.beside(sharpened_theorem(theorem, catalogue()), shares)
