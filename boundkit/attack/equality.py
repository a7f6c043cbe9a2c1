"""Where it is known on paper that a bound is attained: a sentence of the theorem's own proof or remarks."""

from __future__ import annotations

import re

from boundkit.algebra import BoundkitError, Theorem

OPENINGS = {
    "fedavg_surrogate_optimum": "Equality where grad F_i",
    "fedavg_strongly_convex_average_drift": "Attained in the limit of many local steps",
    "mifa_nonconvex": "Attained: a quadratic",
    "sgd_strongly_convex": "At mu = L the error floor",
}
"""How the sentence begins."""


def equality(theorem: Theorem) -> str:
    """The remark that says where the bound is attained, or ""; the theorem has it, and nobody repeats it.

    Raises BoundkitError where the theorem no longer says so.
    """
    if theorem.name not in OPENINGS:
        return ""
    begins = OPENINGS[theorem.name]
    for said in (*theorem.remarks, " ".join((theorem.prose or "").split())):
        if begins in said:
            sentence = re.match(r".*?\.(?=\s|$)", said[said.index(begins) :])
            return sentence[0] if sentence else said[said.index(begins) :]
    raise BoundkitError(f"no remark of {theorem.name} begins with {begins!r} any more.")
