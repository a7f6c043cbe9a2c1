r"""ClusterFedVARP on smooth non-convex losses: constants below the paper's, with the same proof.

The terms and step sizes are those of clusterfedvarp_nonconvex. The error of the first direction needs no term
of its own: the start-up of the stored updates covers it.

Proof. Steps (i) to (iii) of clusterfedvarp_nonconvex, from the first round on. Of the squared gradient $1/2 -
2 (8/100) > 1/3$ is left, so that everything is multiplied by 3 instead of 4: the 21 of the noise, the 21 of
the dissimilarity in a cluster, the 2 of the drift, and the $21/5$ of the stored updates.
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
    steps=PAPER.step_size,
    terms=(
        derived(
            "initial gap", 3 * gap / (eta_s * eta * tau * T), "1/3 of the squared gradient a round survives"
        ),
        derived(
            "stochastic noise",
            63 * eta_s * eta * L * sigma**2 / (C * m),
            "63 = 3 (21): 2 (7/10) in a direction and 3 (3/2) (21/5) in the stored updates are below 21",
        ),
        derived(
            "noise drift",
            12 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "12 = 3 (2) (2): the local drift weighs at most 2 s in the descent, and its noise is 2",
        ),
        derived(
            "partial participation",
            63 * eta_s * eta * tau * L * _Q * sigma_c**2,
            "63 = 3 (21): 3 (7/10) in a direction and 3 (3/2) (21/5) in the stored updates make 21",
        ),
        derived(
            "client drift",
            48 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "48 = 3 (2) (8): as the noise drift, with the drift's 8",
        ),
        derived(
            "start-up",
            13 * eta_s * eta * tau * L / (1 - missed) * _Q * gradients_start**2 / T,
            "3 times 21/5, rounded up: the weight of the initial stored updates",
            label="start-up of stored updates",
        ),
    ),
    definitions=PAPER.definitions,
    becomes=(
        to(
            "fedvarp_nonconvex_sharp",
            {missed: 1 - C, sigma_c: 0},
            factors={"stochastic noise": Rational(9, 4), "start-up of stored updates": Rational(13, 10)},
            because="clusters of one client each are missed with probability 1 - C",
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
        "Where clusters are rarely missed, the start-up of clusterfedvarp_nonconvex is the smaller one.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 3",
        note="O(.) in the main text; the constants are in the supplement, and proved above.",
        letters={
            "N": m,
            "M": C * m,
            "eta_c": eta,
            "f(w_0) - f_inf": gap,
            "K": clusters,
            "r": m / clusters,
            "p": missed,
            "sigma_K": sigma_c,
        },
    ),
    prose=__doc__,
)
