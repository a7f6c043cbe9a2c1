r"""FedAvg with cyclic participation of whole groups and tau local gradient steps: the loss after a cycle.

With several local steps the clients of a group drift apart as well (client drift), and a cycle has $tau$
times as many steps, so that the influence of the last group is $tau$ times as large (cyclic order). All
clients of a group participate with exact gradients, so nothing is random.

Proof, as for cyclic_pl, for a cycle of $K$ groups, with $Y$ over all local models: the largest over groups
and local steps of the mean over the group's clients of $||y - x||^2$. By Minkowski, with the clients of a
group in the mean square, $sqrt(Y) (1 - eta L (tau K - 1)) <= eta (tau K - 1) (sigma_b + ||grad F||) + eta
(tau - 1) sigma_w$, so that $eta L tau K <= 1/5$ gives $Y <= (75/16) eta^2 [(tau K - 1)^2 (sigma_b^2 + ||grad
F||^2) + (tau - 1)^2 sigma_w^2]$. The first local step of a cycle has no error: $||D||^2 <= (tau K - 1)^2 L^2
Y$. The squared gradient keeps $(eta tau K/2) (1 - 3/16)$, which contracts the gap by $1 - (4/5) eta mu_PL tau
K$ a cycle, and what is added, over $(4/5) eta mu_PL tau K$, is at most $2.93 eta^2 L^2/mu_PL$ times the rest
of the bracket.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "cyclic_pl_local",
    title="Cyclic client participation of whole groups, local gradient descent",
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
        WHOLE_GROUPS,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L),),
    steps=(at_most(eta * L * tau * groups, Rational(1, 5)),),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(4, 5) * eta * mu_pl * tau * groups) ** (T / groups) * gap,
            "13/16 of the squared gradient survives a cycle, which is above 4/5; T/groups cycles",
        ),
        derived(
            "client drift",
            3 * eta**2 * L**2 * (tau - 1) ** 2 * sigma_within**2 / mu_pl,
            "75/32 from the local drift within a cycle, over 4/5, is 2.93, and 3 is above it",
        ),
        derived(
            "cyclic order",
            3 * eta**2 * L**2 * (tau * groups - 1) ** 2 * sigma_between**2 / mu_pl,
            "3 as for the client drift, over the tau K - 1 steps of a cycle after the first",
        ),
    ),
    becomes=(
        to(
            "cyclic_pl",
            {tau: 1, sigma: 0, C: 1 / groups},
            because="one local step, whole groups, no noise: the two theorems agree",
        ),
        not_to(
            "cyclic_pl",
            {tau: 1},
            because="the sampling error and the noise of the other theorem do not occur here",
        ),
    ),
    limits=(
        removes({tau: 1, groups: 1}, "client drift", "cyclic order"),
        keeps(
            {groups: 1},
            "cyclic order",
            because="one group of all clients also has sigma_between = 0, which must be put in as well",
        ),
    ),
    remarks=(
        "T is a whole number of cycles, and the loss is that at the end of a cycle.",
        "With one group sigma_b is 0, and the client drift of FedAvg remains.",
        "The proof needs sigma_b and sigma_w at the starts of cycles alone; they may be measured there.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order, and for local GD an order only. This statement stands on the proof "
        "above alone.",
    ),
    prose=__doc__,
)
