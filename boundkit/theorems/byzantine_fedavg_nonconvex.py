"""FedAvg with Byzantine clients and a robust server, smooth non-convex losses, full gradients.

Local steps add the client drift. It hides an attack, too, but within the condition on the step the term of
the attack covers that: the drift counts as without an attack. With one local step only the whole step of the
server is limited.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.byzantine_gd_nonconvex import THEOREM as ONE_STEP

_round = eta_s * eta * tau

THEOREM = variant(
    ONE_STEP,
    "byzantine_fedavg_nonconvex",
    title="Byzantine clients, FedAvg, non-convex",
    assumes=(
        *NONCONVEX, NO_NOISE, BOUNDED_DISSIMILARITY, ROBUST_AGGREGATION, EQUAL_WEIGHTS, FULL_PARTICIPATION,
        COMMON_STEPS,
    ),
    steps=(
        at_most((1 + sqrt(robustness)) * eta * L * (tau - 1), Rational(1, 4)),
        at_most(_round, 1 / L),
    ),
    terms=(
        derived("initial gap", Rational(20, 9) * gap / (_round * T), "9/20 of the squared gradient survives"),
        derived(
            "objective inconsistency",
            Rational(11, 8) * robustness * sigma_g**2,
            "the squared error of the aggregate without drift",
            label="Byzantine clients",
        ),
        derived(
            "client drift",
            Rational(7, 4) * L**2 * eta**2 * (tau - 1) ** 2 * sigma_g**2,
            "the drift of the mean; that of the deviations is within the term before",
        ),
    ),
    becomes=(
        to(
            "byzantine_gd_nonconvex",
            {tau: 1, eta_s: 1},
            factors={"initial gap": Rational(10, 9), "Byzantine clients": Rational(11, 8)},
            because="the proof keeps part of the squared gradient for the drift",
        ),
    ),
    remarks=("The number m is that of the honest clients.",),
    prose=__doc__,
)  # fmt: skip
