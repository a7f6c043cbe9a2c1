"""FedAWE on smooth non-convex losses, with the missing noise term of the descent lemma.

The statement is that of fedawe_nonconvex. Only the stale-model noise costs more, by $216/(tau eta_s^2)$:
little where the server step size or the number of local steps is large, and seven times the paper's 31 where
both are 1. fedawe_nonconvex_sharp has a complete proof with smaller constants.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex import THEOREM as PAPER

_PAPER = PAPER.bound.terms
_EXTRA = 216 / (tau * eta_s**2)

THEOREM = variant(
    PAPER,
    "fedawe_nonconvex_corrected",
    title="FedAWE, gradient at the mean model, noise term corrected",
    terms=(
        _PAPER["initial gap"],
        _PAPER["stochastic noise"],
        derived(
            "unavailability",
            (31 + _EXTRA) * _PAPER["stale-model noise"].expr / 31,
            "31 as printed, and 2 times 108/(tau eta_s^2) for the missing term",
            label="stale-model noise",
        ),
        _PAPER["stale-model dissimilarity"],
    ),
    becomes=(
        to(
            "fedawe_nonconvex",
            factors={"stale-model noise": (31 + _EXTRA) / 31},
            because="the missing term is added",
        ),
        to(
            "fedawe_nonconvex",
            {tau: 1, eta_s: 1},
            factors={"stale-model noise": Rational(247, 31)},
            because="where both are 1, 31 becomes 247",
        ),
    ),
    remarks=(
        "It corrects the missing term only. Proposition 2 holds for sums over rounds, see the errata.",
        *PAPER.remarks[:2],
    ),
    source=XIANG_2024.at(
        "Corollary 2", note="The constants of App. H, with a term of the descent lemma put back."
    ),
    prose=__doc__,
)
