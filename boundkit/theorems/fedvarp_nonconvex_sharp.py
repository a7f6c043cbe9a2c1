r"""FedVARP on smooth non-convex losses: smaller constants, and longer steps where few clients participate.

The terms and assumptions are those of fedvarp_nonconvex, and every constant is smaller. The error of the
first direction needs no term of its own: the start-up of the stored updates covers it. The server's step may
be of the order $C m^(1/3)/L$ in place of $C^(3/2) sqrt(m)/L$: with one client a round $m^(-2/3)$ in place of
$1/m$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedvarp_nonconvex import THEOREM as PAPER

THEOREM = upper(
    "fedvarp_nonconvex_sharp",
    title="FedVARP, sharper constants and longer steps",
    algorithm="fedvarp",
    bounds=PAPER.claim,
    assumes=PAPER.assumptions,
    requires=(at_least(m, 2),),
    steps=(
        at_most(eta, 1 / (10 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
        at_most(eta_s * eta, C * m ** Rational(1, 3) / (9 * L * tau)),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(7, 5) * gap / (eta_s * eta * tau * T),
            "1397/1000, the weight of the descent, rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(43, 20) * eta_s * eta * L * sigma**2 / (C * m),
            "(10/9)(1397/1000) times the weights of a direction and of the stored updates",
        ),
        derived(
            "noise drift",
            Rational(17, 20) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "(1341/2500)(157/100), rounded up; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "client drift",
            Rational(47, 100) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "(239/800)(157/100), rounded up; and tau (tau - 1) for (tau - 1)^2",
        ),
        derived(
            "start-up",
            Rational(57, 50) * eta_s * eta * tau * L * (1 - C) / (C**2 * (m - 1)) * gradients_start**2 / T,
            "the weight of the initial stored updates",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {C: 1},
            factors={
                "initial gap": Rational(14, 13),
                "stochastic noise": Rational(43, 15),
                "client drift": Rational(47, 45),
            },
            because="with full participation FedVARP is FedAvg, and the start-up vanishes",
        ),
    ),
    remarks=(
        "The paper has 4, 40, 24, 96, 32, and eta_s eta at most C^(3/2) sqrt(m)/(8 L tau), which is less "
        "than the limit here where C^3 m < 0.49.",
        "The noise is the loosest where all clients participate: it has a part for the stored updates, which "
        "keep the noise of their gradients for about 1/C rounds.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 2", note="The algorithm is the paper's; the steps, the proof and its constants are not."
    ),
    prose=__doc__,
)
