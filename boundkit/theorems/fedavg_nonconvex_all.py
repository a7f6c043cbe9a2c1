r"""FedAvg that divides by the number of all clients: the gradient of its surrogate.

Client $i$ participates with probability $q_i$, and an unavailable client counts as an update of 0. The method
minimises the surrogate that weighs client $i$ by $q_i$, and does so slowly: a round moves by the mean
probability, pull, times the step size. Unavailability adds no noise to that of full participation, because
the noise of an unavailable client is missing too.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedau_nonconvex import THEOREM as WEIGHTED

_STEP = eta_s * eta * tau * pull

THEOREM = upper(
    "fedavg_nonconvex_all",
    title="FedAvg with division by all clients, gradient of the surrogate",
    algorithm="fedavg",
    costs="fedavg_all",
    bounds=WEIGHTED.claim,
    assumes=tuple(AVERAGE_OVER_ALL if a == FIXED_WEIGHTS else a for a in WEIGHTED.assumptions),
    steps=(
        at_most(eta * L * tau, Rational(1, 8)),
        at_most(_STEP * L, Rational(1, 2)),
        at_most(16 * (1 - availability) * eta_s * eta * tau * L / m, 1),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(11, 5) * gap / (_STEP * T),
            "11/5 by fedau_nonconvex; a round moves by pull times the step",
        ),
        derived(
            "stochastic noise",
            Rational(63, 50) * eta_s * eta * L * sigma**2 / m,
            "63/50 by fedau_nonconvex, where pull times share_noise is 1/m",
        ),
        derived(
            "noise drift",
            Rational(17, 20) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "17/20 by fedau_nonconvex",
        ),
        derived(
            "client drift",
            Rational(1, 3) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "1/3 by fedau_nonconvex",
        ),
        derived(
            "partial participation",
            Rational(11, 8) * (1 - availability) * eta_s * eta * tau * L * sigma_g**2 / m,
            "11/8 by fedau_nonconvex, where pull times absence is at most (1 - availability)/m",
        ),
    ),
    requires=(at_most(pull, 1),),
    definitions={pull: ClientSum(q_i) / m, availability: 1 - ClientMax(1 - q_i)},
    becomes=(
        to(
            "fedavg_nonconvex",
            {pull: 1, availability: 1, eta_s: 1},
            factors={
                "initial gap": Rational(11, 20),
                "stochastic noise": Rational(63, 200),
                "noise drift": Rational(17, 120),
                "client drift": Rational(1, 36),
            },
            because="all clients participate; the drifts are bounded in another way",
        ),
    ),
    remarks=(
        "The gap is that of the surrogate sum_i q_i F_i/sum_i q_i, and sigma_g its weighted dissimilarity.",
        "It bounds the gradient of the objective only where all q_i are equal: see fedavg_all_bias.",
        "Dividing by the number of participating clients is faster by about 1/pull and minimises another "
        "surrogate: see fedavg_active_bias.",
    ),
    source=WANG_2024.at(
        "Theorem 1", note="The case omega_n = 1; the constants stand on the proof of fedau_nonconvex."
    ),
    prose=__doc__,
)
