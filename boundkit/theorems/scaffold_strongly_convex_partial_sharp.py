r"""SCAFFOLD on smooth strongly convex losses: twice the rate, small constants, and longer steps.

The proof is that of the convex case, whose loss gap is at least $mu/2 ||x - x*||^2$ by strong convexity. A
round of length $s = eta_s eta tau$ contracts the squared distance by $mu s$, as gradient descent does.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.scaffold_strongly_convex_partial import THEOREM as PAPER

_round = eta_s * eta * tau
_contraction = (1 - mu * _round) ** T
_FASTER = ((1 - mu * _round) / (1 - mu * _round / 2)) ** T

THEOREM = upper(
    "scaffold_strongly_convex_partial_sharp",
    title="SCAFFOLD, strongly convex, partial participation, smaller constants",
    algorithm="scaffold",
    bounds=PAPER.claim,
    assumes=PAPER.assumptions,
    requires=PAPER.requires,
    steps=(at_most(eta_s * eta, 1 / (9 * L * tau)), at_most(eta_s * eta, C / (15 * mu * tau))),
    terms=(
        derived("initial gap", _contraction * distance**2, "that of gradient descent"),
        derived(
            "stochastic noise",
            Rational(23, 10) * eta_s * eta * sigma**2 / (mu * C * m),
            "about 1 for the direction, and the rest for controls and gradients at local models",
        ),
        derived(
            "noise drift",
            Rational(3, 14) * eta * sigma**2 / (mu * eta_s),
            "the local drift of a client is not averaged; a large server step allows a small client step",
        ),
        derived(
            "start-up",
            _contraction * Rational(36, 25) * _round**2 * control_error_star**2 / C,
            "s^2/C times it is the weight of the controls' error in the Lyapunov function",
        ),
    ),
    becomes=(
        to(
            "scaffold_strongly_convex_partial",
            {T: 1},
            factors={
                "initial gap": _FASTER,
                "stochastic noise": Rational(23, 240),
                "noise drift": Rational(1, 112),
                "start-up": Rational(4, 25) * _FASTER,
            },
            because="the same terms, for longer steps; the initial error contracts by mu s instead of mu s/2",
        ),
    ),
    limits=(
        keeps({tau: 1}, "noise drift", because="the proof keeps the noise of a drift that is 0 at tau = 1"),
    ),
    remarks=(
        "The published constants are 24, 24 and 9, for half the contraction and steps of at most a ninth of "
        "these.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, strongly convex",
        note="The algorithm is the paper's; the proof and its constants are not.",
    ),
    prose=__doc__,
)
