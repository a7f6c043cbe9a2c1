r"""FedPAQ: FedAvg with updates that are compressed at random without bias, smooth non-convex losses.

The message noise falls with the number $C m$ of participants, as the noise of gradients does, and vanishes
neither at $C = 1$ nor for $tau = 1$: what heterogeneous clients send cancels in the mean only before it is
compressed. Error feedback has no such error floor (ef21_nonconvex). Without compression, at $comp_noise =
0$, the bound is that of fedavg_nonconvex_partial_sharp with constants that are larger by up to a third, at
rounds that may be 7 times as long.
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
        at_most(eta_s * eta, Rational(3, 10) / (L * tau)),
        at_most(comp_noise * _round * L, C * m / 24),
    ),
    terms=(
        derived("initial gap", Rational(37, 25) * gap / (_round * T), "25/37 of the squared gradient left"),
        derived(
            "stochastic noise",
            Rational(21, 25) * (1 + comp_noise) * eta_s * eta * L * sigma**2 / (C * m),
            "by the variance of a client, which compression multiplies, over 25/37",
        ),
        derived(
            "noise drift",
            Rational(22, 25) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "13/25 by the error of a client, times its weight; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(22, 25) * _round * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "by the dispersion of the directions, over 25/37",
        ),
        derived(
            "message noise",
            Rational(22, 25) * comp_noise * _round * L * sigma_g**2 / (C * m),
            "by the squared directions of the clients, which are compressed, over 25/37",
            label="compression",
        ),
        derived(
            "client drift",
            Rational(49, 100) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "37/125 by the error of a client, times its weight; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {comp_noise: 0},
            factors={
                "initial gap": Rational(74, 65),
                "stochastic noise": Rational(28, 25),
                "noise drift": Rational(88, 85),
                "partial participation": Rational(33, 25),
                "client drift": Rational(49, 45),
            },
            because="longer rounds, and the largest of them leave part of the descent for the compression",
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
