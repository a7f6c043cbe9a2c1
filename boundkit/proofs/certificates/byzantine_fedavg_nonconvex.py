"""FedAvg with a robust server: the clients' drift counts in their mean and in the error of the aggregate.

With the drift's mean e and deviations of mean square v^2 these are at most |e| + k v <= ((1 + k^2) (|e|^2 +
v^2))^(1/2), which is parted from k times the dissimilarity with y. What k^2 adds is within the term of the
attack, since (1 + k) eta L (tau - 1) <= 1/4.
"""

from sympy import sqrt

from boundkit.algebra.notation import L, eta, robustness, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.byzantine_fedavg_nonconvex import THEOREM

s = round_of(THEOREM).length
k = letter_for("k", sqrt(robustness))
y = Rational(47, 200)
drift = (1 + 1 / y) * (1 + k**2)
"""The weight of the squared drift."""
l = 2 / (1 - Rational(3, 10) * drift * (eta * L * (tau - 1)) ** 2)
"""The weight of the descent, times s: 2 over the part of the squared gradient that the errors leave."""

PROOF = Certificate(
    THEOREM,
    names={k: sqrt(robustness)},
    charts=(robust_chart(k),),
    steps=(
        step("descent", ROBUST_DESCENT, weight=l / s),
        step("aggregate", SQUARE, of=a.mean + aggregate_error, weight=l * (1 - s * L) / 2),
        step(
            "error of the aggregate against drift",
            SUM_OF_TWO,
            u=aggregate_error,
            v=-e.mean,
            y=1 / (drift - 1),
            removes=inner(aggregate_error, e.mean),
        ),
        step("error of the aggregate", ROBUST_ERROR, removes=square(aggregate_error)),
        step(
            "deviation of the drift",
            SUM_OF_TWO,
            u=g - g.mean,
            v=e.mean - e,
            y=(k**2 + Rational(1, 1000)) / (drift - 1 - k**2),
            removes=inner(g, e),
        ),
        step("drift in the mean", JENSEN, of=e, removes=square(e.mean)),
        step("error of a client", GRADIENT_BIAS, h=Rational(1, 4), removes=square(e)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
