r"""FedAvg with cyclic client participation, local gradient descent: the published rate.

The order of the groups costs $1/T^2$, the sampling of clients within a group $1/T$. Only the initial gap is
printed with a constant; the other terms hide constants and logarithms.

Proof. Not reproduced, and not needed: cyclic_pl_tuned states the same shape with every constant, under the
same assumptions, and without the number of groups in the sampling error. That factor comes from
Cauchy-Schwarz over a cycle, where the errors of the rounds are martingale differences and add up in squares.
"""

from boundkit.algebra.authoring import *

_LOG = log(m * T**2 / groups**2)

THEOREM = order_level(
    "cyclic_pl_gd_rate",
    title="Cyclic client participation, local gradient descent, published rate",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        NO_NOISE,
        GROUP_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CYCLIC_GROUPS,
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(m, 2 * groups), at_most(C * groups, 1), at_least(T, groups)),
    steps=(at_least(T, c_4 * L * groups * _LOG / mu_pl),),
    terms=(
        recalled(
            "initial gap",
            c_1 * groups**2 * gap / (m * T**2),
            "printed with the constant 1, which a step of one certain factor before its logarithm gives",
        ),
        recalled(
            "partial participation",
            c_3 * groups * L * sigma_within**2 * (1 - C * groups) * _LOG / (mu_pl**2 * C * (m - groups) * T),
            "inside O~(.); the factor groups is the source's, and the proof of cyclic_pl has none",
        ),
        recalled(
            "cyclic order",
            c_2 * L**2 * (groups - 1) ** 2 * sigma_between**2 * _LOG**2 / (mu_pl**3 * T**2),
            "inside O~(.); a step of order log/T gives the square of the logarithm",
        ),
    ),
    limits=(removes({C: 1 / groups}, "partial participation"),),
    remarks=(
        "O~ hides logarithms; those written here are what the source's step, of order log(m "
        "T^2/groups^2)/(mu_pl T), makes of a bound with terms eta and eta^2.",
        "The error floor of the sampling error does not depend on the number of groups, so this factor is "
        "not tight.",
        "T is a whole number of cycles.",
    ),
    source=CHO_2023.at(
        "Theorem 1, as a slide prints it", note="The slide was read; the body of the paper was not opened."
    ),
    prose=__doc__,
)
