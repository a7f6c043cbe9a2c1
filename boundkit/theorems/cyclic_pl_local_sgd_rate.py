r"""FedAvg with cyclic client participation, tau local SGD steps: the published rate.

To the terms of local gradient descent are added the gradient noise, averaged over the clients and the steps
of a round, and the client drift within a round.

Proof. Not reproduced: the theorem was not opened. The powers of $T$, and that the noise is averaged over $C
m tau$ gradients, are as recalled; the drift's power of $tau$ is not confirmed, and the one here, $(tau -
1)/tau$, is the more cautious one. What is proved with constants is cyclic_pl for one stochastic step, and
cyclic_pl_local for exact local steps of whole groups, where the drift is $(tau - 1)^2/tau^2$ at the same
step.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.cyclic_pl_gd_rate import THEOREM as DESCENT

_LOG = log(m * T**2 / groups**2)

_DESCENT = DESCENT.bound.terms

THEOREM = variant(
    DESCENT,
    "cyclic_pl_local_sgd_rate",
    title="Cyclic client participation, local SGD, published rate",
    assumes=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        BOUNDED_NOISE,
        GROUP_DISSIMILARITY,
        CLIENTWISE_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CYCLIC_GROUPS,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    steps=(at_least(T, c_6 * L * groups * _LOG / mu_pl),),
    terms=(
        recalled("initial gap", c_1 * groups**2 * gap / (m * T**2), "as for gradient descent"),
        recalled(
            "stochastic noise",
            c_4 * L * sigma**2 * _LOG / (mu_pl**2 * C * m * tau * T),
            "inside O~(.), recalled: the noise is averaged over C m clients with tau gradients each",
        ),
        _DESCENT["partial participation"],
        recalled(
            "client drift",
            c_5 * L**2 * (tau - 1) * sigma_g**2 * _LOG**2 / (mu_pl**3 * tau * T**2),
            "inside O~(.), recalled; the power of tau is not confirmed",
        ),
        _DESCENT["cyclic order"],
    ),
    becomes=(
        to("cyclic_pl_gd_rate", {tau: 1, sigma: 0}, because="one exact local step is gradient descent"),
        not_to(
            "cyclic_pl_gd_rate",
            {sigma: 0},
            because="without noise the clients still drift over their local steps",
        ),
    ),
    remarks=(
        "Only the powers of T are taken from the source; those of tau and of the groups are not tested.",
        "At most sigma_b + sigma_w is sigma_g.",
        "O~ hides logarithms; those written here are what a step of order log(m T^2/groups^2)/(mu_pl tau T) "
        "gives.",
        "T is a whole number of cycles.",
    ),
    source=CHO_2023.at(
        "the theorem on local SGD",
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
