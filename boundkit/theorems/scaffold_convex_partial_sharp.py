r"""SCAFFOLD on smooth convex losses: small constants, and steps that are nine times as long.

Each client's loss is above the tangents of its local models by $||grad F_i(y) - grad F_i(x*)||^2/(2 L)$. This
pays for the sampling and for the local steps, which the published proof charges to the loss gap.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.scaffold_convex_partial import THEOREM as PAPER

_round = eta_s * eta * tau

THEOREM = upper(
    "scaffold_convex_partial_sharp",
    title="SCAFFOLD, convex, partial participation, smaller constants and longer steps",
    algorithm="scaffold",
    bounds=PAPER.claim,
    assumes=PAPER.assumptions,
    requires=PAPER.requires,
    steps=(at_most(eta_s * eta, 1 / (9 * L * tau)),),
    terms=(
        derived("initial gap", distance**2 / (2 * _round * T), "that of gradient descent"),
        derived(
            "stochastic noise",
            Rational(11, 10) * eta_s * eta * sigma**2 / (C * m),
            "one half for the direction, and the rest for controls and gradients at local models",
        ),
        derived(
            "noise drift",
            eta * sigma**2 / (10 * eta_s),
            "the local drift of a client is not averaged; a large server step allows a small client step",
        ),
        derived(
            "start-up",
            Rational(67, 100) * _round * control_error_star**2 / (C * T),
            "s^2/C times it is the weight of the controls' error in the Lyapunov function",
        ),
    ),
    becomes=(
        to(
            "scaffold_convex_partial",
            factors={
                "initial gap": Rational(1, 2),
                "stochastic noise": Rational(11, 120),
                "noise drift": Rational(1, 120),
                "start-up": Rational(67, 900),
            },
            because="the same terms, for longer steps",
        ),
    ),
    limits=(
        keeps(
            {C: 1}, "start-up", because="full participation makes controls newer, but not the initial ones"
        ),
        keeps({tau: 1}, "noise drift", because="the proof keeps the noise of a drift that is 0 at tau = 1"),
    ),
    remarks=(
        "The published constants are 1, 12, 12 and 9, for steps of at most a ninth of these. There "
        "26/25, 3/250 and 27/50 are proved in place of 11/10, 1/10 and 67/100.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, convex", note="The algorithm is the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
