r"""SCAFFOLD on smooth non-convex losses: communication rounds until the gradient is small, in order.

Controls take the unlike losses out of the local steps, so that no dissimilarity is left in the count.
What is left is the noise, shared by the C m clients of a round and their tau gradients, and a number of
rounds that no local work saves, larger the fewer clients come: controls of clients that did not come are
old.

Proof. Recalled, not re-derived: the row of a table, whose powers of the number of clients were inferred
from its other column and agree with the source's rate, as far as that is recalled. With explicit
constants there are theorems for full participation, and for convex losses.
"""

from sympy import Rational

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.notation import C, L, c_1, c_2, gap, m, sigma, target, tau
from boundkit.algebra.notation import T as ROUNDS
from boundkit.algebra.vocabulary import (
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    PARTIAL_PARTICIPATION,
    ROUNDS_TO_TARGET,
    SMOOTH,
)

THEOREM = Theorem(
    name="scaffold_nonconvex_rounds",
    algorithm="scaffold",
    claim=ROUNDS_TO_TARGET,
    kind="order",
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        EQUAL_WEIGHTS,
        PARTIAL_PARTICIPATION,
        COMMON_STEPS,
    ),
    terms=(
        Term(
            "initial gap",
            c_2 * gap * L / (C ** Rational(2, 3) * target**2),
            provenance="order",
            because="(m/(C m))^(2/3) rounds for each that full participation needs; the constant is not "
            "known here",
        ),
        Term(
            "stochastic noise",
            c_1 * gap * L * sigma**2 / (C * m * tau * target**4),
            provenance="order",
            because="C m clients with tau gradients a round share the noise; the constant is not known here",
        ),
    ),
    limits=(Limit(when={sigma: 0}, removes=("stochastic noise",)),),
    remarks=(
        "The powers of m and C m are inferred; at C = 1 they are not needed, and the row is the one of the "
        "table for full participation.",
        "The dissimilarity of the clients is nowhere.",
    ),
    errata=(
        "In the scan of the table the largest number of local steps of this row is cut off after its N.",
    ),
    source=Source(
        authors=("Karimireddy", "Kale", "Mohri", "Reddi", "Stich", "Suresh"),
        year=2020,
        title="SCAFFOLD: Stochastic Controlled Averaging for Federated Learning",
        venue="ICML 2020",
        arxiv="1910.06378",
        where="Theorem III, as the table of a talk on EPISODE++ quotes it",
        note="The row was recalled, and its powers of the numbers of clients inferred: in the scan of the "
        "table its largest number of local steps is cut off after its N.",
        renamed={"R": ROUNDS, "N": m, "S": C * m, "I": tau, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
