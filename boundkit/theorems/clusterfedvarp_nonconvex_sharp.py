r"""ClusterFedVARP on smooth non-convex losses: smaller constants from variances.

The terms are those of clusterfedvarp_nonconvex, and the server's step may be longer. The error of the first
direction needs no term of its own: the start-up of the stored updates covers it.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.clusterfedvarp_nonconvex import THEOREM as PAPER

_Q = (1 - C) / (C * (m - 1))

THEOREM = upper(
    "clusterfedvarp_nonconvex_sharp",
    title="ClusterFedVARP, sharper constants",
    algorithm="clusterfedvarp",
    bounds=PAPER.claim,
    assumes=tuple(BOUNDED_DISSIMILARITY if a == CLIENTWISE_DISSIMILARITY else a for a in PAPER.assumptions),
    requires=PAPER.requires,
    steps=(*PAPER.step_size[:-1], at_most(eta_s * eta, 1 / (3 * L * tau))),
    terms=(
        derived(
            "initial gap",
            Rational(3, 2) * gap / (eta_s * eta * tau * T),
            "373/250, the weight of the descent, rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(47, 20) * eta_s * eta * L * sigma**2 / (C * m),
            "(10/9)(211/100), rounded up: in a direction and in the stored updates",
        ),
        derived(
            "noise drift",
            Rational(22, 25) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "(2707/5000)(13/8), rounded up; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(59, 20) * eta_s * eta * tau * L * _Q * sigma_c**2,
            "a direction has a part, and the stored updates the rest",
        ),
        derived(
            "client drift",
            Rational(47, 100) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "(577/2000)(13/8), rounded up; and tau (tau - 1) for (tau - 1)^2",
        ),
        derived(
            "start-up",
            Rational(27, 25) * eta_s * eta * tau * L / (1 - missed) * _Q * gradients_start**2 / T,
            "43/40, the weight of the initial stored updates, rounded up",
            label="start-up of stored updates",
        ),
    ),
    definitions=PAPER.definitions,
    becomes=(
        to(
            "fedvarp_nonconvex_sharp",
            {missed: 1 - C, sigma_c: 0},
            factors={
                "initial gap": Rational(15, 14),
                "stochastic noise": Rational(47, 43),
                "noise drift": Rational(88, 85),
                "start-up of stored updates": Rational(18, 19),
            },
            because="clusters of one client each are missed with probability 1 - C; the steps differ",
        ),
    ),
    limits=(
        keeps(
            {missed: 0},
            "start-up of stored updates",
            because="the first round is not bounded separately here, and its stored updates are 0",
        ),
    ),
    remarks=(
        "The paper has 4, 160, 24, 128, 96 and 32.",
        "Where clusters are rarely missed, the start-up of clusterfedvarp_nonconvex is the smaller one.",
    ),
    source=PAPER.source,
    prose=__doc__,
)
