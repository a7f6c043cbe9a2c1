"""FedAWE on smooth non-convex losses: a complete proof, with smaller constants and longer steps.

The claim is that of fedawe_nonconvex. No condition $eta_s >= 1$ is needed, and the largest availability
does not occur. With full participation the terms of old models vanish, and those of FedAvg remain.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex import THEOREM as PAPER

_round = eta_s * eta * tau
MIXED = mixing / (1 - sqrt(mixing)) ** 2
"""Mean square of the offsets of stored models, over that of the directions times a round's length."""

THEOREM = upper(
    "fedawe_nonconvex_sharp",
    title="FedAWE, gradient at the mean model, sharper constants",
    algorithm="fedawe",
    bounds=MEAN_MODEL_SQUARED_GRADIENT,
    assumes=tuple(each for each in PAPER.assumptions if each != SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(m, 2),),
    steps=(
        at_most(eta, 1 / (8 * L * tau * beta)),
        at_most(eta_s * eta, 1 / (2 * L * tau)),
        at_most((_round * L * beta) ** 2 * MIXED, Rational(1, 100)),
    ),
    terms=(
        derived("initial gap", 2 * gap / (_round * T), "1 over what is left of 523/1000"),
        derived(
            "stochastic noise",
            Rational(8, 7)
            * eta_s
            * eta
            * L
            * sigma**2
            * (2 - availability)
            / (availability * m)
            * (1 + Rational(13, 5) * _round * L * (1 - availability) / (availability * (1 - sqrt(mixing)))),
            "(8/7)/2 times 2, by (i); 8/7 times 13/5, by (ii): noise that is in some of the models only",
        ),
        derived(
            "unavailability",
            Rational(16, 5) * (_round * L) ** 2 * kappa**2 * MIXED,
            "13/5 times 11/10 and 111/100: the offsets, the parts of directions and gradients",
            label="stale-model dissimilarity",
        ),
        derived(
            "noise drift", Rational(27, 20) * eta**2 * L**2 * sigma**2 * (tau - 1), "277/500 times 243/100"
        ),
        derived(
            "client drift",
            Rational(4, 5) * eta**2 * L**2 * kappa**2 * (tau - 1) ** 2,
            "149/500 times 243/100 and 111/100",
        ),
    ),
    definitions={mixing: PAPER.definitions[mixing]},
    remarks=(
        "All stored models agree at the start.",
        *PAPER.remarks[:2],
    ),
    source=XIANG_2024.at(
        "Corollary 2", note="The method is the paper's; this statement and its proof are ours."
    ),
    prose=__doc__,
)
