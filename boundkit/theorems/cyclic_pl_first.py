r"""FedAvg with cyclic client participation, one exact gradient a round: an independent proof.

The terms of cyclic_pl with larger constants. Kept because it has an independent proof, so that each checks
the other.

Proof, for a cycle of $K$ rounds: $x+ = x - eta K grad F(x) - eta e - eta sum xi_g$, with $||e||$ at most $L$
times the sum of $||y_g - x||$, and for $eta L K <= 1/6 sum_g E||y_g - x||^2 <= 2.1 eta^2 K^2 (K - 1) (||grad
F||^2 + sigma_b^2) + 1.6 eta^2 K (K - 1) v$. Smoothness, with a quarter of $eta K ||grad F||^2$ spent on $e$
and a quarter on the step's square, leaves $-0.427 eta K ||grad F||^2 + 2.625 L^2 eta^3 K (K - 1)^2 sigma_b^2
+ 1.84 L eta^2 K v$, and the Polyak-Lojasiewicz inequality contracts by $1 - 0.8 eta mu_PL K$. It also follows
from cyclic_pl, whose step may be larger and whose constants are smaller, term by term.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "cyclic_pl_first",
    title="Cyclic client participation, one exact gradient a round, looser constants",
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
    requires=(at_most(mu_pl, L), at_least(m, 2 * groups), at_most(C * groups, 1)),
    steps=(at_most(eta * L * groups, Rational(1, 6)),),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(4, 5) * eta * mu_pl * groups) ** (T / groups) * gap,
            "0.427 of the squared gradient survives a cycle, times 2 mu_PL, which is above 4/5",
        ),
        derived(
            "partial participation",
            Rational(5, 2) * eta * L * sigma_within**2 * (1 - C * groups) / (mu_pl * C * (m - groups)),
            "1.84 over 4/5 is 2.3, and 5/2 is above it",
        ),
        derived(
            "cyclic order",
            Rational(33, 10) * eta**2 * L**2 * (groups - 1) ** 2 * sigma_between**2 / mu_pl,
            "2.625 over 4/5 is 3.28, and 3.3 is above it",
        ),
    ),
    becomes=(
        to(
            "cyclic_pl",
            {sigma: 0},
            factors={"partial participation": Rational(5, 4), "cyclic order": Rational(11, 10)},
            because="2.5 and 3.3 where 2 and 3 are enough",
        ),
        not_to("cyclic_pl", {sigma: 0}, because="the constants differ: 2.5 and 3.3 here, 2 and 3 there"),
    ),
    limits=(removes({C: 1 / groups}, "partial participation"),),
    remarks=(
        "T is a whole number of cycles, and the loss is that at the end of a cycle.",
        "Nowhere below cyclic_pl.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order. These constants stand on the proof above alone.",
    ),
    prose=__doc__,
)
