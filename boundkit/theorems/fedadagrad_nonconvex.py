r"""FedAdagrad on smooth non-convex losses, all clients in every round: the order of its bound.

The server uses the clients' mean update as a gradient of AdaGrad: it divides each coordinate by the root of
the sum of squares so far, plus adaptivity. Its step size $eta_a$ is therefore a length, and so is adaptivity.

The first factor of every term, $G_inf/sqrt(T) + adaptivity/(eta tau T)$, comes from the growing denominator;
the second holds the effects of a round of local steps with an adaptive server: gap, the local drifts by noise
and by heterogeneity, and the variance of the denominators.

The source's form is recalled, its constants are unknown, $c_1$ to $c_4$, and one of its forms has
inconsistent units (errata). Only its scaling is tested.

Proof. None here. The source bounds the smallest gradient over rounds; since its denominators grow, the same
proof bounds the mean.
"""

from boundkit.algebra.authoring import *

_denominator = G_inf / sqrt(T) + adaptivity / (eta * tau * T)
_drift = eta**3 * tau**2 * L**2 * T / adaptivity
_growth = 1 + log(1 + eta**2 * tau**2 * G_inf**2 * T / adaptivity**2)

THEOREM = order_level(
    "fedadagrad_nonconvex",
    title="FedAdagrad, order of the bound",
    algorithm="fedadagrad",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX,
        COORDINATE_NOISE,
        BOUNDED_COORDINATES,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
    ),
    steps=(at_most(eta, 1 / (8 * L * tau)),),
    terms=(
        recalled(
            "initial gap",
            c_1 * _denominator * gap / eta_a,
            "the gap over the server step size, which is a length",
        ),
        recalled(
            "noise drift",
            c_2 * _denominator * _drift * sigma**2,
            "the squared local drift of a round by noise, over adaptivity, summed over rounds",
        ),
        recalled(
            "client drift",
            c_3 * _denominator * _drift * tau * sigma_g**2,
            "as the noise drift, with tau sigma_g^2 for sigma^2: the bias of the gradients accumulates over "
            "tau steps",
        ),
        recalled(
            "stochastic noise",
            c_4 * _denominator * d * (eta * tau * G_inf**2 / adaptivity + eta_a * L) * _growth,
            "the variance of the denominators, coordinate by coordinate; their sum of ratios grows as a "
            "logarithm",
        ),
    ),
    limits=(
        keeps(
            {sigma: 0},
            "noise drift",
            "stochastic noise",
            because="this form bounds the variance of the denominators by G_inf, whatever the noise is",
        ),
    ),
    remarks=(
        "It falls with T only if eta falls too: the local drifts grow as eta^3 T under a factor of "
        "1/sqrt(T).",
        "Whether adaptivity is large is measured against eta tau G_inf, the largest step of a round in one "
        "coordinate.",
        "As adaptivity grows with eta_a/adaptivity fixed the server step becomes plain, and "
        "fedavg_nonconvex_partial with eta_s = eta_a/adaptivity applies, with constants.",
    ),
    source=REDDI_2021.at(
        "the theorem for FedAdagrad, first form of the variance",
        note="Recalled, not opened; its constants 5/2, 6 and 1 are left open, since they were not checked.",
    ),
    prose=__doc__,
)
