"""FedAWE on smooth non-convex losses: the consensus error of the clients' models.

The mean squared distance of the models from their mean, times $L^2$ so that it has the unit of a squared
gradient. Everything in it falls with the square of the step $s = eta_s eta tau$: models differ by what has
not been mixed yet, $(s L)^2 P$ times the clients' squared directions, $P = mixing/(1 - sqrt(mixing))^2$.
These are the dissimilarity, the bias of local steps, and $beta^2$ times the squared gradient, for which the
initial gap stands. The noise of single rounds is in some of the models only, and falls with the number of
clients; a sixth of its term, at most, is for the noise in the squared gradient, which the steps keep as
small.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex_sharp import MIXED
from boundkit.theorems.fedawe_nonconvex_sharp import THEOREM as MEAN_MODEL

_round = eta_s * eta * tau
_MOVED = (_round * L) ** 2 * MIXED

THEOREM = upper(
    "fedawe_consensus",
    title="FedAWE, consensus error",
    algorithm="fedawe",
    bounds=CONSENSUS,
    assumes=MEAN_MODEL.assumptions,
    requires=MEAN_MODEL.requires,
    steps=(
        at_most(eta, 1 / (8 * L * tau * beta)),
        at_most(eta_s * eta, (1 - sqrt(mixing)) / (10 * L * tau * beta**2)),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(199, 100) * beta**2 * _MOVED * gap / (_round * T),
            "6/5 times 289/250 and 1129/1000, and the bias of local steps, over what is left, 413/500",
        ),
        derived(
            "unavailability",
            Rational(10, 7)
            * (_round * L) ** 2
            * sigma**2
            * (1 - availability)
            * (2 - availability)
            / (availability**2 * (1 - sqrt(mixing)) * m * tau),
            "8/7 times 5/4: noise that is in some of the models only, what it feeds back, and the descent",
            label="stale-model noise",
        ),
        derived(
            "unavailability",
            Rational(5, 3) * kappa**2 * _MOVED,
            "6/5 times 289/250 and 1129/1000, and what the bias of local steps adds",
            label="stale-model dissimilarity",
        ),
        derived(
            "noise drift",
            8 * beta**2 * _MOVED * eta**2 * L**2 * sigma**2 * (tau - 1),
            "14.4 times 277/500: the bias of local steps in the directions and in the descent",
        ),
    ),
    definitions=MEAN_MODEL.definitions,
    remarks=MEAN_MODEL.remarks,
    source=XIANG_2024.at(
        "Corollary 3",
        note="The method is the paper's; the conditions, the statement and its proof are ours. The paper's "
        "initial gap and noise do not fall with the squared step, and its dissimilarity has 283 for 5/3.",
    ),
    prose=__doc__,
)
