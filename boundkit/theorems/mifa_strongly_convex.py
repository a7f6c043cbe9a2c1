r"""MIFA on strongly convex losses: the published rate.

The noise falls as $1/T$, averaged over all clients, with the mean staleness of the stored updates, not the
largest, as its factor. The effect of heterogeneity with the longest unavailability falls as $1/T^2$
(staleness), and so does the initial gap.

Proof: none here; the source states the order only, logarithms of $T$ are left out, and its constants were not
read. Known: the powers of $T$, the $(1 + staleness_mean) sigma^2/(mu m tau)$ as the factor of $1/T$, and that
$sigma_star$ and the longest unavailability enter at $1/T^2$ only. Not known: the powers of staleness and of
$L/mu$ there; those below are what a step offset of $(1 + staleness) (L/mu)^(3/2)$ gives, which is how the
source's step size decays.
"""

from boundkit.algebra.authoring import *

_OFFSET = (1 + staleness) ** 2 * (L / mu) ** 3

THEOREM = order_level(
    "mifa_strongly_convex",
    title="MIFA, strongly convex, published rate",
    algorithm="mifa",
    bounds=LAST_LOSS_GAP,
    assumes=(
        *STRONGLY_CONVEX_NOISY,
        OPTIMUM_DISSIMILARITY,
        EQUAL_WEIGHTS,
        BOUNDED_ABSENCE,
        COMMON_STEPS,
        SERVER_STEP_ONE,
        DECAYING_STEP,
    ),
    requires=(at_most(mu, L), at_most(staleness_mean, staleness)),
    steps=(at_least(T, c_4 * (1 + staleness) * L / mu),),
    terms=(
        recalled(
            "initial gap",
            c_3 * mu * _OFFSET * distance**2 / T**2,
            "the source gives O(1/T^2); the factor is the square of the step's offset",
        ),
        recalled(
            "stochastic noise",
            c_1 * (1 + staleness_mean) * sigma**2 / (mu * m * tau * T),
            "the source gives O(.), up to a logarithm",
        ),
        recalled(
            "staleness",
            c_2 * _OFFSET * sigma_star**2 / (mu * T**2),
            "the source gives O(1/T^2) with the dissimilarity at the optimum and the longest unavailability",
        ),
    ),
    limits=(
        keeps(
            {staleness: 0, staleness_mean: 0},
            "staleness",
            because="the client drift of full participation is part of it",
        ),
    ),
    remarks=(
        "The step size is eta_t = 4/(mu tau (t + a)) in round t, with a of the order (1 + staleness) "
        "(L/mu)^(3/2).",
        "With independent availability staleness_mean is about the mean of 1/q_i, less 1; in the source the "
        "unavailability may grow slowly with t besides.",
    ),
    source=GU_2021.at(
        "the theorem on strongly convex losses",
        note="Recalled and not opened: the form is at the level of O(.).",
        letters={"N": m, "K": tau, "tau_max": staleness, "taubar_T": staleness_mean, "D": sigma_star**2},
    ),
    prose=__doc__,
)
