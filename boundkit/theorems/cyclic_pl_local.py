r"""FedAvg with cyclic participation of whole groups and tau local gradient steps: the loss after a cycle.

With several local steps the clients of a group drift apart as well (client drift), and a cycle has $tau$
times as many steps, so that the influence of the last group is $tau$ times as large (cyclic order). All
clients of a group participate with exact gradients, so nothing is random.
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
            (1 - eta * mu_pl * tau * groups) ** (T / groups) * gap,
            "1/2 of the squared gradient survives a cycle, twice mu_pl; T/groups cycles",
        ),
        derived(
            "client drift",
            Rational(7, 20) * eta**2 * L**2 * (tau - 1) ** 2 * sigma_within**2 / mu_pl,
            "2 (0.8/1.74 + 0.1) (5/9)^2 by the mean square of the local steps, rounded up",
        ),
        derived(
            "cyclic order",
            Rational(13, 200) * eta**2 * L**2 * (tau * groups) ** 2 * sigma_between**2 / mu_pl,
            "(4/3 + 1/6) (0.8/1.74 + 0.1) (5/18)^2 by the half cycles, rounded up",
        ),
    ),
    becomes=(
        to(
            "cyclic_pl",
            {tau: 1, sigma: 0, C: 1 / groups},
            factors={"cyclic order": Rational(39, 40)},
            because="one local step, whole groups, no noise: the same proof, rounded up less",
        ),
        not_to(
            "cyclic_pl",
            {tau: 1},
            because="the sampling error and the noise of the other theorem do not occur here",
        ),
    ),
    limits=(
        removes({tau: 1}, "client drift"),
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
        "here alone.",
    ),
    prose=__doc__,
)
