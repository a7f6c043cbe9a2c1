"""Sampling with replacement by $p_i$, one local step, decaying step size: no gradient bound.

Where clients average after every step, sampling is additional noise: $C m$ sampled gradients have the
variance of the dissimilarity, $sigma_g^2$, and of the gradient noise, $sigma^2$, both averaged over $C m$.
Neither $G$ nor $Gamma$ is needed, and the first step size may be four times as large as with many local
steps.
"""

from boundkit.algebra.authoring import *

_SPAN = offset + T

THEOREM = upper(
    "fedavg_strongly_convex_decaying_one_step",
    title="Sampling with replacement, one local step, decaying step size",
    algorithm="fedavg",
    costs="fedavg_replacement",
    bounds=LAST_LOSS_GAP,
    assumes=(
        *STRONGLY_CONVEX_NOISY,
        WEIGHTED_DISSIMILARITY,
        WEIGHTED_OBJECTIVE,
        REPLACEMENT,
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
        DECAYING_STEP,
    ),
    requires=(at_most(mu, L),),
    steps=(at_least(offset, 2 * L / mu),),
    terms=(
        derived(
            "initial gap",
            L * offset * distance**2 / (2 * _SPAN),
            "the offset of the recursion, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            2 * L * sigma**2 / (C * m * mu**2 * _SPAN),
            "2 = 4 (1/2): 4 from the square of the step 2/(mu s), L/2 from distance to loss",
        ),
        derived(
            "partial participation",
            2 * L * sigma_g**2 / (C * m * mu**2 * _SPAN),
            "as the noise: one sampled gradient has variance sigma_g^2 about the mean gradient",
        ),
    ),
    definitions={offset: 2 * L / mu},
    limits=(keeps({C: 1}, "partial participation", because="m draws with replacement are not m clients"),),
    remarks=(
        "Uniform sampling without replacement multiplies the partial participation by (1 - C) m/(m - 1).",
        "Each sample has a gradient of its own here. Where a client sampled twice sends one gradient twice, "
        "the noise is sigma^2 (1/(C m) + (1 - 1/(C m)) sum p_i^2).",
        "The source's theorem at one step has 4 G^2 for sigma_g^2 and a Gamma besides; at one step it needs "
        "neither.",
        "The offset is 2 L/mu by default; every larger one will do.",
    ),
    source=LI_2020_FEDAVG.at(
        "Theorem 2 (scheme I) at E = 1",
        note="The source has a bound on gradients in this term; without one it is proved here.",
    ),
    prose=__doc__,
)
