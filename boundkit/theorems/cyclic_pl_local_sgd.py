r"""FedAvg with cyclic participation of whole groups and tau local SGD steps: the loss after a cycle.

The terms of cyclic_pl_local, and two of noise: averaged over all clients, and the drift that noise causes in
a client.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "cyclic_pl_local_sgd",
    title="Cyclic client participation of whole groups, local SGD",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        BOUNDED_NOISE,
        GROUP_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CYCLIC_GROUPS,
        WHOLE_GROUPS,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(groups, 2)),
    steps=(at_most(eta * L * tau * groups, Rational(1, 6)),),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(9, 8) * eta * mu_pl * tau * groups) ** (T / groups) * gap,
            "9/16 of the squared gradient survive a cycle, twice mu; T/groups cycles",
        ),
        derived(
            "stochastic noise",
            Rational(31, 50) * eta * L * groups * sigma**2 / (m * mu_pl),
            "0.561 by the sum of the noise and 0.056 by the gradients that it changes",
        ),
        derived(
            "noise drift",
            Rational(17, 50) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl,
            "2 (8/9) 0.633 (6/11)^2 by the mean square of the local steps, rounded up",
        ),
        derived(
            "client drift",
            Rational(17, 50) * eta**2 * L**2 * (tau - 1) ** 2 * sigma_within**2 / mu_pl,
            "2 (8/9) 0.633 (6/11)^2 by the mean square of the local steps, rounded up",
        ),
        derived(
            "cyclic order",
            Rational(63, 1000) * eta**2 * L**2 * (tau * groups) ** 2 * sigma_between**2 / mu_pl,
            "(4/3 + 1/6)/4 times (8/9) 0.633 (6/11)^2, rounded up",
        ),
    ),
    remarks=(
        "T is a whole number of cycles, and the loss is that at the end of a cycle.",
        "The proof needs sigma_b and sigma_w at the starts of cycles alone.",
        "Without noise cyclic_pl_local has steps longer by 6/5, at nearly these constants.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order for local SGD. This statement stands on the proof here alone.",
    ),
    prose=__doc__,
)
