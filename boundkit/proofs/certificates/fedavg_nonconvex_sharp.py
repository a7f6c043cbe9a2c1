r"""FedAvg on smooth non-convex losses, all clients, by cases: tau = 1, where nothing drifts, and tau >= 2.

At least a share of the squared gradient is left by the errors, and the descent weighs 1/(share s).
"""

from sympy import Expr

from boundkit.algebra.notation import L, eta, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_sharp import THEOREM

s = round_of(THEOREM).length
h = Rational(7, 24)
c = s * L
w = Rational(27, 100) - c / (3 * tau)


def share_left(w: Expr, k: Expr) -> Expr:
    """Return the share of the squared gradient that is left, with w for the error against the gradient.

    ``k``: what the errors cost at most, over (eta L (tau - 1))^2.
    """
    return 1 - c / 2 - (1 - c) * w - k * (eta * L * (tau - 1)) ** 2


LARGER = Certificate(
    THEOREM,
    charts=one_or_more_steps(Rational(1, 2), Rational(1, 12)),
    steps=(
        step("descent", DESCENT, weight=1 / (share_left(w, Rational(3, 8) - c / 30) * s)),
        step("participation", PARTICIPATION, removes=direction),
        error_against_gradient(w),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(5, 22), Rational(48, 125), Rational(171, 250), order=2),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
"""Proof with larger constants, whose numbers other theorems change."""

_least = Rational(289, 1000)
_share = Rational(1533, 2000) - Rational(691, 2000) * c + Rational(11, 50) * c / tau

PROOF = (
    LARGER.changed("descent", weight=1 / (_share * s))
    .changed(
        "error against gradient",
        {"w": Rational(467, 2000) - Rational(43, 2000) * c - Rational(27, 100) * c / tau},
    )
    .changed("variance of a client", {"h": _least})
    .replaced(
        "error of a client",
        error_of_a_client(
            _least,
            Rational(13, 100),
            Rational(3503, 10000),
            Rational(631, 1000),
            order=2,
            shared=True,
        ),
    )
)
