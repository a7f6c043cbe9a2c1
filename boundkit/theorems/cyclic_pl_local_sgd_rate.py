r"""FedAvg where groups of clients take turns, tau stochastic steps on the clients: the rate of the source.

To the prices of gradient descent come the noise of the gradients, shared by the clients and the steps of
a round, and the drift of the clients within a round.

Proof. Not reproduced: the theorem was not opened. The powers of T, and that the noise is shared by
C m tau gradients, are as recalled; the drift's power of tau is not confirmed, and the one here,
(tau - 1)/tau, is the more cautious one. What is proved with constants is cyclic_pl for one stochastic
step, and cyclic_pl_local for exact local steps of whole groups, where the drift is (tau - 1)^2/tau^2 at
the same step.
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
    BOUNDED_NOISE,
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    CYCLIC_GROUPS,
    EQUAL_WEIGHTS,
    GROUP_DISSIMILARITY,
    LAST_LOSS_GAP,
    POLYAK_LOJASIEWICZ,
    SERVER_STEP_ONE,
    SMOOTH,
)
from boundkit.theorems.cyclic_pl import THEOREM as EXPLICIT_THEOREM

_LOG = log(m * T**2 / groups**2)

THEOREM = Theorem(
    name="cyclic_pl_local_sgd_rate",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    claim=LAST_LOSS_GAP,
    kind="order",
    assumptions=(
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
            c_4 * L * sigma**2 * _LOG / (mu_pl**2 * C * m * tau * T),
            provenance="order",
            because="inside O~(.), recalled: C m clients with tau gradients each share the noise of a round",
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
            because="one exact local step is gradient descent",
        ),
        Reduction(
            to="cyclic_pl_gd_rate",
            when={sigma: 0},
            holds=False,
            because="without noise the clients still drift over their local steps",
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
        "Only the powers of T are what the source is trusted for; those of tau and of the groups are not "
        "to be tested.",
        "At most sigma_b + sigma_w is sigma_g.",
        "O~ hides logarithms; those written here are what a step of order log(m T^2/groups^2)/(mu_pl tau "
        "T) gives.",
        "T is a whole number of cycles.",
    ),
    errata=(
        "The number of groups before the sampling error is an artefact of Cauchy-Schwarz over the cycle.",
    ),
    source=replace(
        EXPLICIT_THEOREM.source,
        where="the theorem on local SGD",
        note="Recalled; the body of the paper was not opened.",
        renamed={**EXPLICIT_THEOREM.source.renamed, "nu": sigma_g},
    ),
    prose=__doc__,
)
