r"""FedExP on smooth non-convex losses, all clients, full gradients.

As for convex losses: the initial gap is divided by the sum of the server step sizes, and heterogeneity leaves
an error floor of order $eta tau$; the drift, of order $eta^2$, is part of it at these step sizes. The mean of
the squared gradients weighs each round by its server step size.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedexp_nonconvex",
    title="FedExP, non-convex, full gradients",
    algorithm="fedexp",
    bounds=WEIGHTED_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        ADAPTIVE_SERVER_STEP,
    ),
    steps=(at_most(eta, 1 / (6 * L * tau)),),
    terms=(
        derived(
            "initial gap",
            Rational(5, 4) * gap / (eta_s_mean * eta * tau * T),
            "4/5 of the squared gradient survives",
        ),
        derived(
            "client drift",
            Rational(19, 20) * eta * tau * L * sigma_g**2,
            "(11/10)/2 by the mean squared update, over 4/5, and the local drift, as eta L tau <= 1/6",
            label="update dissimilarity",
        ),
    ),
    becomes=(
        not_to(
            "fedavg_nonconvex",
            {eta_s_mean: 1, sigma: 0},
            factors={"initial gap": Rational(5, 16)},
            because="with server step size 1 it is FedAvg with full gradients, but the error floor of the "
            "unlike updates is due to the proof, and remains",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "update dissimilarity",
            because="the error floor of the heterogeneous updates is there with one local step, too",
        ),
    ),
    remarks=(
        "The mean eta_s_mean of eta_s over the rounds is known from a run only.",
        "The source gives these terms and the drift as O(.), and the least squared gradient instead of the "
        "mean.",
    ),
    source=JHUNJHUNWALA_2023.at(
        "Theorem 2", note="O(.) in the source; the constants are those of its certificate."
    ),
    prose=__doc__,
)
