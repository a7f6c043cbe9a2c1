r"""FedAWE on smooth non-convex losses, clients that come and go: the gradient at the mean of all models.

A client that was away starts from its own old model, and when it comes back its update counts for all the
rounds it missed. Those who are there average, and only they hear the result. So models mix slowly, and how
slowly is one number: mixing, the second eigenvalue of the mean gossip matrix. Three forces: the start, the
noise (shared by all m clients, at a price of availability_max/availability^2), and what absence does to
models (unavailability), which grows as mixing comes near 1 and falls with the square of the steps.

Proof, that of the source, for z_i = x_i - eta eta_s tau (rounds away - 1) grad F_i(x_i), whose mean moves by
the mean of all clients' updates whoever comes. Descent at the mean of the z_i leaves 1/4 of the squared
gradient. The spread of the z_i and their distance from the x_i are bounded by the gossip (Lemma 6, with
E(rounds away)^2 <= 2/availability^2), and take 0.0022 + 0.0032 + 0.0108 of it under the conditions below;
1/6 is needed. That gives fedawe_nonconvex_auxiliary. Here F's gradient is moved from the mean of the z_i to
the mean of the x_i, which doubles every constant and adds 1 to the noise's.
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
            "48 = 2 (6) (2) (2): the descent's 2 and E(rounds away)^2 <= 2/availability^2",
        ),
        appendix(
            "unavailability",
            31 * sigma**2 * _SPREAD,
            "31 = 2 (15) + 1: the auxiliary sequence's 15, doubled, and the way to the mean model; one part "
            "of the descent was lost, see the errata",
            label="noise of old models",
        ),
        appendix(
            "unavailability",
            5600 * kappa**2 * _SPREAD,
            "5600 = 2 (2800): as on the auxiliary sequence",
            label="unlike old models",
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
            leaves=("noise of old models", "unlike old models"),
            because="with everybody there the method is FedAvg, but the last two terms have tau^2 where its "
            "drifts have tau - 1 and tau (tau - 1): they stay at tau = 1",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "noise of old models",
            "unlike old models",
            because="old models are old also where each client takes one step a round",
        ),
        keeps(
            {availability: 1, availability_max: 1, mixing: 0},
            "noise of old models",
            "unlike old models",
            because="these terms hold the clients' drift as well, and that stays",
        ),
    ),
    remarks=(
        "The claim is about the mean of all clients' stored models, not about the server's last aggregate.",
        "The letter mixing is worked out for clients that all come with the same unchanging chance. For "
        "others give it, with availability_max: the largest, over rounds, second eigenvalue of the mean of "
        "the matrices that average those who come; up to a dozen clients a sum over all sets is quick.",
        "The source's bound on mixing, 1 - availability^4 (1 - (1 - availability)^m)^2/8, is very loose: at "
        "m = 5 and availability = 0.3 it is 0.9993, and mixing is 0.8330.",
        "The last two terms have no speed-up by m or tau; they are small once T is of the order (tau m)^3.",
        "Loose: steps are so small that the start dominates; runs measured at most 0.08 of the bound.",
        "The source's dissimilarity is mean ||grad F_i - grad F||^2 <= b^2 ||grad F||^2 + zeta^2, so that "
        "beta^2 = b^2 + 1 and kappa = zeta.",
        "The source assumes it at every point, and so it is meant here: no one model is the server's, at "
        "whose iterates alone it could be asked for.",
    ),
    errata=(
        "The paper's conditions on the steps, eq. (11), hold L + 1 and 1 + L^2, which mean nothing with "
        "units. Those here are repaired, and every printed constant stands under them.",
        "The descent lemma has a term 9 eta_s eta^3 tau^2 L^2 sigma^2 E(rounds away)^2 that is gone where "
        "things are put together. Kept, it adds 216/(tau eta_s^2) to the 31: fedawe_nonconvex_corrected.",
        "Proposition 2 takes the last round in which a client came and the gradient at its model of then as "
        "independent, but both depend on who came in that round. The step is open. Without it "
        "2/availability^2 becomes 2/availability^3 where it is used.",
        "The time since a client was last there is defined without its maximum in the main text.",
        "The theorem needs eta_s >= 1, which the paper calls a convention.",
        "Its eq. (3), on the bias of FedAvg, is true for averages over all clients (fedavg_all_bias), and "
        "false for averages over those who come (fedavg_active_bias).",
    ),
    source=XIANG_2024.at(
        "Corollary 2",
        note="The constants are in App. H; the conditions on the steps are repaired here.",
        letters={
            "s": tau,
            "eta_l": eta,
            "eta_g": eta_s,
            "delta": availability,
            "delta_max": availability_max,
            "rho": mixing,
            "beta^2 + 1": beta**2,
            "zeta": kappa,
        },
    ),
    prose=__doc__,
)
