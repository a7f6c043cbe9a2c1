r"""FedVARP on smooth non-convex losses: smaller constants from variances.

The terms, assumptions and step sizes are those of fedvarp_nonconvex, and every constant is smaller. The error
of the first direction needs no term of its own: the start-up of the stored updates covers it.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedvarp_nonconvex import THEOREM as PAPER

THEOREM = upper(
    "fedvarp_nonconvex_sharp",
    title="FedVARP, sharper constants",
    algorithm="fedvarp",
    bounds=PAPER.claim,
    assumes=PAPER.assumptions,
    requires=(at_least(m, 2),),
    steps=PAPER.step_size,
    terms=(
        derived(
            "initial gap",
            Rational(3, 2) * gap / (eta_s * eta * tau * T),
            "373/250, the weight of the descent, rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(47, 20) * eta_s * eta * L * sigma**2 / (C * m),
            "(10/9)(211/100), rounded up: in a direction and in the stored updates",
        ),
        derived(
            "noise drift",
            Rational(22, 25) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "(2707/5000)(13/8), rounded up; and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "client drift",
            Rational(47, 100) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "(577/2000)(13/8), rounded up; and tau (tau - 1) for (tau - 1)^2",
        ),
        derived(
            "start-up",
            Rational(27, 25) * eta_s * eta * tau * L * (1 - C) / (C**2 * (m - 1)) * gradients_start**2 / T,
            "43/40, the weight of the initial stored updates, rounded up",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {C: 1},
            factors={
                "initial gap": Rational(15, 13),
                "stochastic noise": Rational(47, 15),
                "noise drift": Rational(88, 85),
                "client drift": Rational(47, 45),
            },
            because="with full participation FedVARP is FedAvg, and the start-up vanishes",
        ),
    ),
    remarks=(
        "The paper has 4, 40, 24, 96, 32. Variances need no Young inequality between noise and gradients, "
        "and no product of the two is set to 0, as in the paper's proof.",
        "The noise is the loosest: the stored updates keep the noise of their gradients for about 1/C "
        "rounds, and Young adds it where an exact count would subtract a part.",
        "It implies fedvarp_nonconvex, whose printed proof has a gap: m/(m - 1) <= 2.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 2", note="The algorithm and the steps are the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
