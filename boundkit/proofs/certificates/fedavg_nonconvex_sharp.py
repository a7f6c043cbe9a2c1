r"""FedAvg on smooth non-convex losses, all clients, by cases: tau = 1, where nothing drifts, and tau >= 2.

At least the ``share`` of the squared gradient is left by the errors, and the descent weighs 1/(share s).
"""

from boundkit.algebra.notation import L, eta, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_sharp import THEOREM

s = round_of(THEOREM).length
h = Rational(7, 24)
c = s * L
w = Rational(1, 4) - c / (20 * tau)
share = 1 - c / 2 - (1 - c) * w - 3 * (eta * L * (tau - 1)) ** 2 / 8

PROOF = Certificate(
    THEOREM,
    charts=one_or_more_steps(Rational(1, 2), Rational(1, 12)),
    steps=(
        step("descent", DESCENT, weight=1 / (share * s)),
        step("participation", PARTICIPATION, removes=direction),
        error_against_gradient(w),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(1, 5), Rational(3, 8), Rational(5, 7), order=2),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
