r"""FedAvg where groups of clients take turns and each client passes through shuffled data: the source's rate.

Whoever passes once through all of its data meets every gradient, and what the noise took away in one step
it gives back in another. The noise then costs 1/T^2 instead of 1/T, and where the clients of a group are
alike, so does everything.

Proof. Not reproduced: the theorem was not opened. That the noise's 1/T becomes 1/T^2 is as recalled; how
it depends on tau and on the groups is not known here, and no power of either is claimed.
"""

from dataclasses import replace

from sympy import log

from boundkit.algebra import Limit, Reduction, Term, Theorem
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import (
    C,
    L,
    T,
    c_1,
    c_2,
    c_3,
    c_4,
    c_5,
    c_6,
    gap,
    groups,
    m,
    mu_pl,
    sigma,
    sigma_between,
    sigma_g,
    sigma_within,
    tau,
)
from boundkit.algebra.vocabulary import (
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    CYCLIC_GROUPS,
    EQUAL_WEIGHTS,
    GROUP_DISSIMILARITY,
    LAST_LOSS_GAP,
    POLYAK_LOJASIEWICZ,
    SERVER_STEP_ONE,
    SHUFFLED_PARTS,
    SMOOTH,
)
from boundkit.theorems.cyclic_pl import THEOREM as EXPLICIT_THEOREM

_LOG = log(m * T**2 / groups**2)

THEOREM = Theorem(
    name="cyclic_pl_shuffled_rate",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    claim=LAST_LOSS_GAP,
    kind="order",
    assumptions=(
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
    step_size=(at_least(T, c_6 * L * groups * _LOG / mu_pl),),
    terms=(
        Term(
            "initial gap",
            c_1 * groups**2 * gap / (m * T**2),
            provenance="order",
            because="as for gradient descent",
        ),
        Term(
            "stochastic noise",
            c_4 * L**2 * sigma**2 * _LOG**2 / (mu_pl**3 * T**2),
            provenance="order",
            because="inside O~(.), recalled: 1/T^2 in place of the 1/T of drawn gradients",
        ),
        Term(
            "partial participation",
            c_3 * groups * L * sigma_within**2 * (1 - C * groups) * _LOG / (mu_pl**2 * C * (m - groups) * T),
            provenance="order",
            because="inside O~(.); the factor groups is the source's, and the proof of cyclic_pl has none",
        ),
        Term(
            "client drift",
            c_5 * L**2 * (tau - 1) * sigma_g**2 * _LOG**2 / (mu_pl**3 * tau * T**2),
            provenance="order",
            because="inside O~(.), recalled; the power of tau is not confirmed",
        ),
        Term(
            "cyclic order",
            c_2 * L**2 * (groups - 1) ** 2 * sigma_between**2 * _LOG**2 / (mu_pl**3 * T**2),
            provenance="order",
            because="inside O~(.); a step of order log/T gives the square of the logarithm",
        ),
    ),
    reductions=(
        Reduction(
            to="cyclic_pl_gd_rate",
            when={tau: 1, sigma: 0},
            because="a client whose data is one part takes one exact step",
        ),
        Reduction(
            to="cyclic_pl_local_sgd_rate",
            when={sigma: 0},
            because="parts that agree are exact gradients",
        ),
        Reduction(
            to="cyclic_pl_local_sgd_rate",
            when={tau: 1},
            holds=False,
            because="the noise falls as 1/T^2 here and as 1/T there",
        ),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("client drift",)),
        Limit(when={sigma: 0}, removes=("stochastic noise",)),
        Limit(when={groups: 1}, removes=("cyclic order",)),
        Limit(when={C: 1 / groups}, removes=("partial participation",)),
        Limit(when={sigma_within: 0}, removes=("partial participation",)),
    ),
    remarks=(
        "With sigma_w = 0, or with whole groups, the whole bound falls as 1/T^2 up to logarithms; with one "
        "group and drawn gradients it falls as 1/T.",
        "Only the powers of T are what the source is trusted for; those of tau and of the groups are not "
        "to be tested.",
        "T is a whole number of cycles.",
    ),
    errata=(
        "The number of groups before the sampling error is an artefact of Cauchy-Schwarz over the cycle.",
    ),
    source=replace(
        EXPLICIT_THEOREM.source,
        where="the theorem on shuffled SGD",
        note="Recalled; the body of the paper was not opened.",
        renamed={**EXPLICIT_THEOREM.source.renamed, "nu": sigma_g},
    ),
    prose=__doc__,
)
