r"""FedAvg with cyclic client participation, one pass over shuffled local data: the published rate.

A client that passes once over all of its data uses every gradient exactly once, so that the errors of the
single gradients cancel over the pass. The noise then costs $1/T^2$ instead of $1/T$, and so does the whole
bound where the clients of a group are homogeneous.

Proof. Not reproduced: the theorem was not opened. That the noise's $1/T$ becomes $1/T^2$ is as recalled; how
it depends on $tau$ and on the groups is not known here, and no power of either is claimed.
"""

from boundkit.algebra.authoring import *

_LOG = log(m * T**2 / groups**2)

THEOREM = order_level(
    "cyclic_pl_shuffled_rate",
    title="Cyclic client participation, shuffled local data, published rate",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        SHUFFLED_PARTS,
        GROUP_DISSIMILARITY,
        CLIENTWISE_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CYCLIC_GROUPS,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(m, 2 * groups), at_most(C * groups, 1), at_least(T, groups)),
    steps=(at_least(T, c_6 * L * groups * _LOG / mu_pl),),
    terms=(
        recalled("initial gap", c_1 * groups**2 * gap / (m * T**2), "as for gradient descent"),
        recalled(
            "stochastic noise",
            c_4 * L**2 * sigma**2 * _LOG**2 / (mu_pl**3 * T**2),
            "inside O~(.), recalled: 1/T^2 in place of the 1/T of sampled gradients",
        ),
        recalled(
            "partial participation",
            c_3 * groups * L * sigma_within**2 * (1 - C * groups) * _LOG / (mu_pl**2 * C * (m - groups) * T),
            "inside O~(.); the factor groups is the source's, and the proof of cyclic_pl has none",
        ),
        recalled(
            "client drift",
            c_5 * L**2 * (tau - 1) * sigma_g**2 * _LOG**2 / (mu_pl**3 * tau * T**2),
            "inside O~(.), recalled; the power of tau is not confirmed",
        ),
        recalled(
            "cyclic order",
            c_2 * L**2 * (groups - 1) ** 2 * sigma_between**2 * _LOG**2 / (mu_pl**3 * T**2),
            "inside O~(.); a step of order log/T gives the square of the logarithm",
        ),
    ),
    becomes=(
        to("cyclic_pl_gd_rate", {tau: 1, sigma: 0}, because="a client with one batch takes one exact step"),
        to("cyclic_pl_local_sgd_rate", {sigma: 0}, because="equal batches are exact gradients"),
        not_to(
            "cyclic_pl_local_sgd_rate", {tau: 1}, because="the noise falls as 1/T^2 here and as 1/T there"
        ),
    ),
    limits=(removes({C: 1 / groups}, "partial participation"),),
    remarks=(
        "With sigma_w = 0, or with whole groups, the whole bound falls as 1/T^2 up to logarithms; with one "
        "group and sampled gradients it falls as 1/T.",
        "Only the powers of T are taken from the source; those of tau and of the groups are not tested.",
        "T is a whole number of cycles.",
    ),
    source=CHO_2023.at(
        "the theorem on shuffled SGD",
        note="Recalled; the body of the paper was not opened.",
        letters={
            "M": m,
            "K_bar": groups,
            "N": C * m,
            "K": T / groups,
            "alpha": sigma_between,
            "gamma": sigma_within,
            "mu": mu_pl,
            "nu": sigma_g,
        },
    ),
    prose=__doc__,
)
