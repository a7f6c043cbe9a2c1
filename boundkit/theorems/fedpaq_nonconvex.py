r"""FedPAQ: FedAvg with updates that are compressed at random without bias, smooth non-convex losses.

The message noise falls with the number $C m$ of participants, as the noise of gradients does, and vanishes
neither at $C = 1$ nor for $tau = 1$: what heterogeneous clients send cancels in the mean only before it is
compressed. Error feedback has no such error floor (ef21_nonconvex). Without compression, at $comp_noise =
0$, the bound is that of fedavg_nonconvex_partial_sharp with constants that are slightly larger.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "fedpaq_nonconvex",
    title="FedPAQ, updates compressed without bias, non-convex",
    algorithm="fedpaq",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, UNBIASED_COMPRESSION, *SAMPLED_CLIENTS),
    requires=(at_least(m, 2),),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, 1 / (24 * L * tau)),
        at_most(comp_noise * _round * L, C * m / 24),
    ),
    terms=(
        derived("initial gap", Rational(4, 3) * gap / (_round * T), "3/4 of the squared gradient survives"),
        derived(
            "stochastic noise",
            Rational(4, 5) * (1 + comp_noise) * eta_s * eta * L * sigma**2 / (C * m),
            "(8/7)/2 by the variance of a client, which compression multiplies, over 3/4, rounded up",
        ),
        derived(
            "noise drift",
            Rational(7, 8) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "277/500 by the error of a client, times its weight; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(2, 3) * _round * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "(257/250)/2 by the dispersion of the directions, over 3/4, rounded up",
        ),
        derived(
            "message noise",
            Rational(3, 4) * comp_noise * _round * L * sigma_g**2 / (C * m),
            "(51/50)/2 by the squared directions of the clients, which are compressed, over 3/4, rounded up",
            label="compression",
        ),
        derived(
            "client drift",
            Rational(12, 25) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "149/500 by the error of a client, times its weight; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {comp_noise: 0},
            factors={
                "initial gap": Rational(40, 39),
                "stochastic noise": Rational(16, 15),
                "noise drift": Rational(35, 34),
                "client drift": Rational(16, 15),
            },
            because="the largest steps leave part of the descent for the compression",
        ),
    ),
    remarks=(
        "The k of d coordinates that are drawn uniformly, times d/k, have comp_noise = d/k - 1; rounding to "
        "l levels has at most min(d/(4 l^2), sqrt(d)/l).",
        "On quadratics with one Hessian the stationary mean shows that the constant of the compression "
        "cannot be below 1/2, as that of the participation.",
    ),
    source=REISIZADEH_2020.at(
        "the rate for non-convex losses",
        note="Homogeneous clients and eta_s = 1 there (recalled); two step sizes, heterogeneous clients, "
        "the proof and its constants are ours.",
    ),
    prose=__doc__,
)  # fmt: skip
