"""ClusterFedVARP on smooth non-convex losses, C m clients a round: the paper's bound.

The server stores one update a cluster instead of one a client. That needs less RAM, and the stored updates
are newer, because a cluster is updated whenever one of its clients participates. The price is that the stored
update stands for all clients of a cluster: the sampling error depends on the dissimilarity $sigma_c$ inside a
cluster.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedvarp_nonconvex import THEOREM as FEDVARP

_Q = (1 - C) / (C * (m - 1))

_FEDVARP = FEDVARP.bound.terms

THEOREM = variant(
    FEDVARP,
    "clusterfedvarp_nonconvex",
    title="ClusterFedVARP, as published",
    algorithm="clusterfedvarp",
    assumes=(*NONCONVEX_NOISY, CLIENTWISE_DISSIMILARITY, CLUSTER_DISSIMILARITY, *SAMPLED_CLIENTS),
    requires=(at_least(m, 2),),
    steps=(
        at_most(eta, 1 / (10 * L * tau)),
        at_most(eta_s * eta, sqrt(C * m) * (1 - missed) / (8 * L * tau)),
        at_most(eta_s * eta, C * m / (16 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
    ),
    terms=(
        _FEDVARP["initial gap"],
        appendix(
            "stochastic noise",
            160 * eta_s * eta * L * sigma**2 / (C * m),
            "160 = 4 (40): the noise of a direction, and its part in the stored updates",
        ),
        _FEDVARP["noise drift"],
        appendix(
            "partial participation",
            128 * eta_s * eta * tau * L * _Q * sigma_c**2,
            "128 = 4 (32): a stored update stands for all clients of its cluster",
        ),
        _FEDVARP["client drift"],
        _FEDVARP["start-up of the direction"],
        appendix(
            "start-up",
            32 * eta_s * eta * tau * L * missed / (1 - missed) * _Q * gradients_start**2 / T,
            "32 = 4 (8): the remaining weight of the initial stored updates after one round",
            label="start-up of stored updates",
        ),
    ),
    definitions={missed: binomial(m - m / clusters, C * m) / binomial(m, C * m)},
    becomes=(
        to(
            "fedvarp_nonconvex",
            {missed: 1 - C, sigma_c: 0},
            factors={"stochastic noise": 4, "start-up of stored updates": (1 - C) * m / (m - 1)},
            because="clusters of one client each are missed with probability 1 - C; the noise costs 160, not "
            "40",
        ),
        to(
            "fedavg_nonconvex_partial",
            {missed: 0, sigma_c: sigma_g},
            factors={
                "stochastic noise": 40,
                "noise drift": 3,
                "partial participation": Rational(32, 3),
                "client drift": 3,
            },
            leaves=("start-up of the direction",),
            because="a single cluster is never missed, and its stored update cancels: the method is FedAvg",
        ),
        not_to(
            "fedavg_nonconvex_partial",
            {missed: 0, sigma_c: sigma_g},
            factors={"stochastic noise": 40, "noise drift": 3, "client drift": 3},
            leaves=("start-up of the direction",),
            because="the method is FedAvg, but its bound is not: the participation costs 128 here, 12 there",
        ),
    ),
    limits=(
        keeps(
            {missed: 0},
            "start-up of stored updates",
            "partial participation",
            because="a cluster that is updated in every round still stands for clients that were not sampled",
        ),
    ),
    remarks=(
        "The letter missed is the probability that none of the m/clusters clients of a cluster is among the "
        "C m sampled clients.",
        "Setting clusters = m gives FedVARP's condition on the steps, sqrt(C m) C = (C m)^(3/2)/m; fewer "
        "clusters allow larger steps, and sigma_c grows.",
        "The source bounds sigma_g for every client (D1); the proof needs the mean square only (D2), and of "
        "sigma_c the mean square inside each cluster.",
        "The same proof without a term for the first direction has 3, 63, 12, 63, 48 and 13; smaller "
        "constants still: clusterfedvarp_nonconvex_sharp.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 3",
        note="O(.) in the main text; the constants are in the supplement, and proved here.",
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
