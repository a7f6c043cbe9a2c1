r"""FedAvg with cyclic participation of whole groups and tau local SGD steps: the loss after a cycle.

The terms of cyclic_pl_local, and three of noise: averaged over all clients, moved on by the order of the
groups, and the drift that noise causes in a client.
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
            Rational(9, 10) * eta * L * groups * sigma**2 / (m * mu_pl),
            "0.559 by the sum of the noise and 0.341 by the gradients that it changes",
        ),
        derived(
            "noise drift",
            Rational(23, 25) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl,
            "twice the client drift: clients move away by t noises and by t differences, rounded up",
        ),
        derived(
            "client drift",
            Rational(23, 50) * eta**2 * L**2 * (tau - 1) ** 2 * sigma_within**2 / mu_pl,
            "(8/9) 0.643 (6/11)^2 over 37/100, rounded up",
        ),
        derived(
            "cyclic order",
            Rational(1, 8) * eta**2 * L**2 * (tau * groups) ** 2 * sigma_between**2 / mu_pl,
            "(1/4) (8/9) 0.643 (6/11)^2 over 341/1000, rounded up",
        ),
    ),
    remarks=(
        "T is a whole number of cycles, and the loss is that at the end of a cycle.",
        "The proof needs sigma_b and sigma_w at the starts of cycles alone.",
        "Without noise cyclic_pl_local has 9/20 and 9/100 for 23/50 and 1/8, at steps longer by 6/5.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order for local SGD. This statement stands on the proof here alone.",
    ),
    prose=__doc__,
)
