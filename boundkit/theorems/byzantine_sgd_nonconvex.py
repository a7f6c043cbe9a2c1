"""SGD with Byzantine clients and a robust server, smooth non-convex losses.

Noise hides an attack as dissimilarity does, and a smaller step does not remove it.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.byzantine_gd_nonconvex import THEOREM as WITHOUT_NOISE

THEOREM = variant(
    WITHOUT_NOISE,
    "byzantine_sgd_nonconvex",
    title="Byzantine clients, SGD, non-convex",
    assumes=(
        *NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, ROBUST_AGGREGATION, EQUAL_WEIGHTS, FULL_PARTICIPATION,
        ONE_LOCAL_STEP, SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, 1 / (3 * L)),),
    terms=(
        derived("initial gap", Rational(37, 25) * gap / (eta * T), "25/37 of the squared gradient survives"),
        derived(
            "stochastic noise",
            Rational(11, 10) * L * eta * sigma**2 / m,
            "(55/37)/2 by the noise of the honest mean, over 25/37",
        ),
        derived(
            "objective inconsistency",
            Rational(9, 5) * robustness * (sigma_g**2 + sigma**2),
            "the squared error of the aggregate, of weight 17/14, over 25/37, rounded up",
            label="Byzantine clients",
        ),
    ),
    becomes=(
        to(
            "byzantine_gd_nonconvex",
            {sigma: 0},
            factors={"initial gap": Rational(37, 50), "Byzantine clients": Rational(9, 5)},
            because="the proofs differ in how the error of the aggregate is split off",
        ),
    ),
    remarks=("The number m is that of the honest clients.",),
    prose=__doc__,
)  # fmt: skip
