"""FedAWE on smooth non-convex losses with intermittent availability: the gradient at the mean of all models.

A client that was unavailable starts from its own old model, and when it participates again its update is
multiplied by the number of rounds it missed. The participating clients average, and only they receive the
result. So the models mix slowly, at a rate given by mixing, the second eigenvalue of the mean mixing matrix.
Three kinds of terms: the initial gap, the noise (averaged over all $m$ clients, with a factor
$availability_max/availability^2$), and the effect of unavailability on the models, which grows as mixing
tends to 1 and falls with the square of the step sizes.
"""

from boundkit.algebra.authoring import *

_MIXED = (1 - sqrt(mixing)) / (1 + sqrt(mixing))
_SPREAD = (eta_s * eta * tau * L) ** 2 / (availability**2 * (1 - sqrt(mixing)) ** 2)

THEOREM = upper(
    "fedawe_nonconvex",
    title="FedAWE, gradient at the mean model, as published",
    algorithm="fedawe",
    bounds=MEAN_MODEL_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX_NOISY,
        BETA_KAPPA_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CHANGING_AVAILABILITY,
        COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
    ),
    requires=(at_least(m, 2), at_least(availability_max, availability)),
    steps=(
        at_most(eta_s * eta, _MIXED * availability / (80 * L * tau * beta)),
        at_most(eta, availability / (200 * L * tau * beta)),
        at_least(eta_s, 1),
    ),
    terms=(
        appendix(
            "initial gap",
            12 * gap / (eta_s * eta * tau * T),
            "12 = 2 (6): 1/6 of the squared gradient survives the descent; the mean model doubles",
        ),
        appendix(
            "stochastic noise",
            48 * eta_s * eta * L * availability_max * sigma**2 / (m * availability**2),
            "48 = 2 (6) (2) (2): the descent's 2 and E(rounds missed)^2 <= 2/availability^2",
        ),
        appendix(
            "unavailability",
            31 * sigma**2 * _SPREAD,
            "31 = 2 (15) + 1: the auxiliary sequence's 15, doubled, and the distance to the mean model; one "
            "term of the descent is missing, see the errata",
            label="stale-model noise",
        ),
        appendix(
            "unavailability",
            5600 * kappa**2 * _SPREAD,
            "5600 = 2 (2800): as on the auxiliary sequence",
            label="stale-model dissimilarity",
        ),
    ),
    definitions={
        availability_max: availability,
        mixing: 1 - (m * availability - 1 + (1 - availability) ** m) / (m - 1),
    },
    becomes=(
        not_to(
            "fedavg_nonconvex",
            {availability: 1, availability_max: 1, mixing: 0, eta_s: 1, kappa: sigma_g},
            factors={"initial gap": 3, "stochastic noise": 12},
            leaves=("stale-model noise", "stale-model dissimilarity"),
            because="with full participation the method is FedAvg, but the last two terms have tau^2 where "
            "its drifts have tau - 1 and tau (tau - 1): they stay at tau = 1",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "stale-model noise",
            "stale-model dissimilarity",
            because="old models are old with one local step a round, too",
        ),
        keeps(
            {availability: 1, availability_max: 1, mixing: 0},
            "stale-model noise",
            "stale-model dissimilarity",
            because="these terms hold the client drift as well, which remains",
        ),
    ),
    remarks=(
        "The claim is about the mean of all clients' stored models, not about the server's last average.",
        "The formula for mixing holds for clients that all participate with the same constant probability. "
        "For others give it, with availability_max: the largest, over rounds, second eigenvalue of the mean "
        "of the matrices that average the participating clients; up to a dozen clients a sum over all sets "
        "is quick.",
        "The source's bound on mixing, 1 - availability^4 (1 - (1 - availability)^m)^2/8, is very loose: at "
        "m = 5 and availability = 0.3 it is 0.9993, and mixing is 0.8330.",
        "The last two terms have no speed-up by m or tau; they are small once T is of the order (tau m)^3.",
        "The source's dissimilarity is mean ||grad F_i - grad F||^2 <= b^2 ||grad F||^2 + zeta^2, so that "
        "beta^2 = b^2 + 1 and kappa = zeta.",
        "The source assumes it at every point, and so does this theorem: there is no single server model at "
        "whose iterates it could be assumed.",
    ),
    source=XIANG_2024.at(
        "Corollary 2", note="The constants are in App. H; the conditions on the steps are repaired here."
    ),
    prose=__doc__,
)
