r"""FedAdagrad on smooth non-convex losses, all clients in every round: the order of its bound.

The server takes the clients' mean update for a gradient and runs AdaGrad on it: it divides each
coordinate by the root of the sum of squares so far, plus adaptivity. Its step eta_a is therefore a
length, and so is adaptivity.

The first factor of every term, G_inf/sqrt(T) + adaptivity/(eta tau T), is what the growing denominator
costs; the second what a round of local steps with an adaptive server gains and loses: gap, the walks by noise
and by unlike losses, and the variance of the denominators.

What is known, and what is not. The source's form is recalled, its constants are left open here, c_1 to
c_4, and one of its forms does not fit the units (errata). Nothing of it may be held against a run but its
scaling.

Proof. None here. The source bounds the smallest gradient over rounds; since its denominators grow, the
same proof bounds the mean.
"""

from boundkit.algebra.authoring import *

_denominator = G_inf / sqrt(T) + adaptivity / (eta * tau * T)
_walk = eta**3 * tau**2 * L**2 * T / adaptivity
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
            "the gap over the server's step, which is a length",
        ),
        recalled(
            "noise drift",
            c_2 * _denominator * _walk * sigma**2,
            "the squared walk of a round by noise, over adaptivity, summed over rounds",
        ),
        recalled(
            "client drift",
            c_3 * _denominator * _walk * tau * sigma_g**2,
            "as the noise drift, with tau sigma_g^2 for sigma^2: unlike losses pull one way for tau steps",
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
        "It falls with T only if eta falls too: the walks grow as eta^3 T under a factor of 1/sqrt(T).",
        "The letter adaptivity is compared with eta tau G_inf, the largest step of a round in one "
        "coordinate.",
        "As adaptivity grows with eta_a/adaptivity fixed the server's step becomes plain, and "
        "fedavg_nonconvex_partial with eta_s = eta_a/adaptivity applies, with constants.",
    ),
    errata=(
        "The source's second form of the variance, with 1/adaptivity^2 before the walks, has the unit of a "
        "loss where a gradient is needed; as recalled, it lacks a length, 1/adaptivity^3. It is left out.",
    ),
    source=REDDI_2021.at(
        "the theorem for FedAdagrad, first form of the variance",
        note="Recalled, not opened; its constants 5/2, 6 and 1 are left open, since they were not checked.",
        letters={"K": tau, "eta_l": eta, "eta": eta_a, "tau": adaptivity, "G": G_inf, "sigma_l": sigma},
    ),
    prose=__doc__,
)
