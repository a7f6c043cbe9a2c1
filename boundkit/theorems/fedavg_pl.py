r"""FedAvg under the Polyak-Lojasiewicz inequality, full participation.

The loss need not be convex; the claim is about the last iterate. Assumptions and step sizes are otherwise
those of fedavg_nonconvex_sharp.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_sharp import THEOREM as NONCONVEX_FULL

THEOREM = variant(
    NONCONVEX_FULL,
    "fedavg_pl",
    title="FedAvg, Polyak-Lojasiewicz, full participation",
    bounds=LAST_LOSS_GAP,
    assumes=(SMOOTH, POLYAK_LOJASIEWICZ, BOUNDED_NOISE, BOUNDED_DISSIMILARITY, *ALL_CLIENTS),
    requires=(at_most(mu_pl, L),),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(14, 11) * mu_pl * eta * tau) ** T * gap,
            "7/11 of the squared gradient a round survives, and it is at least 2 mu_pl (F - F*)",
        ),
        derived(
            "stochastic noise",
            Rational(9, 16) * eta * L * sigma**2 / (mu_pl * m),
            "half of (24/17)/2 by the variance of a client, over 63/100, by the geometric sum over 2 mu_pl",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2 / (2 * mu_pl),
            "above half of 441/500 of fedavg_nonconvex_sharp, by another split of the bias of local steps",
        ),
        derived(
            "client drift",
            Rational(49, 200) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2 / mu_pl,
            "half of 49/100 of fedavg_nonconvex_sharp",
        ),
    ),
    becomes=(),
    remarks=(
        "tau = 1 and m = 1: SGD under the Polyak-Lojasiewicz inequality, eta at most 1/(2 L); as eta goes "
        "to 0 no proof can go below 1/2 for 9/16.",
        "With groups that take turns, without noise: cyclic_pl_local.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I (rate, strongly convex losses); constants proved here",
        note="The source has strongly convex losses under a (G, B) dissimilarity. This statement stands "
        "on its proof alone.",
    ),
    prose=__doc__,
)
