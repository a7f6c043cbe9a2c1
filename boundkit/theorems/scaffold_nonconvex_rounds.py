r"""SCAFFOLD on smooth non-convex losses: order of the communication rounds to a small gradient.

Control variates remove the heterogeneity from the local steps, so that no dissimilarity occurs in the count.
The noise remains, averaged over the $C m$ clients of a round and their $tau$ gradients, and a number of
rounds that local steps do not reduce, larger for fewer participating clients, whose controls are older.

Proof. Recalled, not re-derived: the row of a table, whose powers of the number of clients were inferred from
its other column and agree with the source's rate, as far as that is recalled. With explicit constants there
are theorems for full participation, and for convex losses.
"""

from boundkit.algebra.authoring import *

THEOREM = order_level(
    "scaffold_nonconvex_rounds",
    title="SCAFFOLD, non-convex, rounds to target",
    algorithm="scaffold",
    bounds=ROUNDS_TO_TARGET,
    assumes=(*NONCONVEX_NOISY, *SAMPLED_CLIENTS),
    terms=(
        recalled(
            "initial gap",
            c_2 * gap * L / (C ** Rational(2, 3) * target**2),
            "(m/(C m))^(2/3) rounds for each that full participation needs; the constant is not known",
        ),
        recalled(
            "stochastic noise",
            c_1 * gap * L * sigma**2 / (C * m * tau * target**4),
            "the noise is averaged over C m clients with tau gradients a round; the constant is not known",
        ),
    ),
    remarks=(
        "The powers of m and C m are inferred; at C = 1 they are not needed, and the row is the one of the "
        "table for full participation.",
        "The dissimilarity of the clients does not occur.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled, and its powers of the numbers of clients inferred: in the scan of the "
        "table its largest number of local steps is cut off after its N.",
        letters={"R": T, "N": m, "S": C * m, "I": tau, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
