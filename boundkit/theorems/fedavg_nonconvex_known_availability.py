"""FedAvg with known availability on smooth non-convex losses, one local step a round.

The server knows the participation probability of each client and divides its update by that probability. In
expectation that is the full gradient, whatever the probabilities and however they change. Only variance
remains: the noise of the participating clients is multiplied, and the participation is random (partial
participation). Both are inversely proportional to availability, the least probability.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_nonconvex_known_availability",
    title="FedAvg with known availability, one local step",
    algorithm="fedavg",
    costs="fedavg_known",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BETA_KAPPA_DISSIMILARITY, EQUAL_WEIGHTS, KNOWN_AVAILABILITY, ONE_LOCAL_STEP),
    steps=(at_most(2 * eta_s * eta * L * (1 + (1 - availability) * beta**2 / (availability * m)), 1),),
    terms=(
        derived(
            "initial gap",
            Rational(4, 3) * gap / (eta_s * eta * T),
            "4/3 = 1/(3/4): of the squared gradient 3/4 survives the descent",
        ),
        derived(
            "stochastic noise",
            Rational(2, 3) * eta_s * eta * L * sigma**2 / (availability * m),
            "2/3 = (1/2) (4/3): the 1/2 of smoothness, over 3/4",
        ),
        derived(
            "partial participation",
            Rational(2, 3) * eta_s * eta * L * (1 - availability) * kappa**2 / (availability * m),
            "2/3 = (1/2) (4/3): as the noise; the exact variance of the participation",
        ),
    ),
    becomes=(
        to(
            "sgd_nonconvex",
            {availability: 1, eta_s: 1},
            factors={"initial gap": Rational(2, 3), "stochastic noise": Rational(2, 3)},
            because="all clients participate: minibatch SGD, with half its step size and a smaller constant",
        ),
        to(
            "sgd_nonconvex",
            {kappa: 0, eta_s: 1},
            factors={"initial gap": Rational(2, 3), "stochastic noise": 2 / (3 * availability)},
            because="at kappa = 0 the participation does not matter, but the noise of the participating "
            "clients is multiplied",
        ),
    ),
    limits=(
        keeps(
            {beta: 1},
            "partial participation",
            because="beta restricts the step size; kappa enters the sampling error",
        ),
    ),
    remarks=(
        "The probabilities may change from round to round; they must be known and not too small.",
        "A client that participates with probability 1/100 enters with 100 times its update: the step size "
        "must be small enough.",
        "Splitting ||grad F_i||^2 into twice two parts first, as is often done, doubles the participation "
        "term; the mean over clients needs no split.",
        "For more local steps take fedau_nonconvex with omega_i = 1/q_i.",
    ),
    source=XIANG_2024.at(
        "the method 'FedAvg with known p' of its experiments",
        note="The method is a baseline there and comes without a theorem; statement and proof are ours.",
        letters={"p_i^t >= delta": availability, "eta_g eta_l": eta * eta_s, "zeta": kappa},
    ),
    prose=__doc__,
)
