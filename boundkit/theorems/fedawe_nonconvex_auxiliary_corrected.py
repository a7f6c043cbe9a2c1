"""FedAWE at the auxiliary sequence, with the missing noise term of the descent lemma.

The statement is that of fedawe_nonconvex_auxiliary, but the stale-model noise costs $108/(tau eta_s^2)$ more.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex_auxiliary import THEOREM as PAPER
from boundkit.theorems.fedawe_nonconvex_corrected import THEOREM as CORRECTED

_PAPER = PAPER.bound.terms
_EXTRA = 108 / (tau * eta_s**2)

THEOREM = variant(
    PAPER,
    "fedawe_nonconvex_auxiliary_corrected",
    title="FedAWE, gradient at the auxiliary sequence, noise term corrected",
    terms=(
        _PAPER["initial gap"],
        _PAPER["stochastic noise"],
        derived(
            "unavailability",
            (15 + _EXTRA) * _PAPER["stale-model noise"].expr / 15,
            "15 as printed, and 108/(tau eta_s^2) for the missing term, where 108 = 6 (9) (2)",
            label="stale-model noise",
        ),
        _PAPER["stale-model dissimilarity"],
    ),
    becomes=(
        to(
            "fedawe_nonconvex_auxiliary",
            factors={"stale-model noise": (15 + _EXTRA) / 15},
            because="the missing term is added",
        ),
    ),
    remarks=CORRECTED.remarks,
    source=XIANG_2024.at(
        "Theorem 1", note="The constants are in App. G; the conditions on the steps are repaired here."
    ),
    prose=__doc__,
)
