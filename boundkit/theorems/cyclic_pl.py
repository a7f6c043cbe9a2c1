r"""FedAvg with cyclic client participation, one gradient a round: the loss after whole cycles.

Groups of clients participate in a fixed order, for example by time zone, and $C m$ clients of the current
group are sampled. There are two errors. The last group of a cycle has the largest influence (cyclic order),
and the sampled clients do not represent their group (partial participation). The first is proportional to the
square of the step size, the second to the step size, so that over many rounds the order costs less than the
sampling.

The order costs little because the differences of the groups from the mean gradient add up to 0 over a cycle:
those of the groups that have participated are at most $min(k, groups - k) sigma_between$ after k groups, and
grow over half a cycle only.
"""

from boundkit.algebra.authoring import *

_NOISE = eta * L * (15 * groups - 4) / (20 * groups * mu_pl)

THEOREM = upper(
    "cyclic_pl",
    title="Cyclic client participation, one gradient a round, PL",
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
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(m, 2 * groups), at_most(C * groups, 1)),
    steps=(at_most(eta * L * groups, Rational(1, 5)),),
    terms=(
        derived(
            "initial gap",
            (1 - eta * mu_pl * groups) ** (T / groups) * gap,
            "1/2 of the squared gradient survives a cycle, twice mu_pl; T/groups cycles",
        ),
        derived(
            "stochastic noise",
            _NOISE * sigma**2 / (C * m),
            "0.66 by its sum and 0.07 by the gradients that it changes; for one group 0.53 and 0",
        ),
        derived(
            "partial participation",
            _NOISE * sigma_within**2 * (1 - C * groups) / (C * (m - groups)),
            "as for the noise; C m of m/groups clients sampled without replacement",
        ),
        derived(
            "cyclic order",
            eta**2 * L**2 * groups**2 * sigma_between**2 / (15 * mu_pl),
            "(4/3 + 1/6) (0.8/1.74 + 0.1) (5/18)^2 by the half cycles, rounded up",
        ),
    ),
    limits=(
        removes({C: 1 / groups}, "partial participation"),
        keeps(
            {sigma_between: 0},
            "cyclic order",
            "partial participation",
            because="groups with equal mean gradients may consist of heterogeneous clients",
        ),
    ),
    remarks=(
        "T is a whole number of cycles, groups times cycles, and the loss is that at the end of a cycle.",
        "The number of groups hardly occurs in the noise and in the sampling error: at a fixed step size, "
        "C m and sigma_w their error floor is at most 15/11 times that of one group.",
        "One group is uniform sampling of C m of all m clients.",
        "The proof needs sigma_b at the starts of cycles alone, where it may be measured, and sigma_w where "
        "a group participates. Both are finite on all of space for a common Hessian only.",
        "On quadratics the bias of the model is proportional to eta and its loss to eta^2. Where all "
        "Hessians agree, reversing the order of the groups flips the sign of the bias at first order.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order. This statement, with explicit constants, stands on the proof here "
        "alone.",
    ),
    prose=__doc__,
)
