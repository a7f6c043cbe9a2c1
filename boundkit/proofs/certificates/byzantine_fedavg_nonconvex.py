"""FedAvg with a robust server: the clients' drift counts in their mean and in the error of the aggregate."""

from sympy import Expr, simplify, sqrt

from boundkit.algebra.notation import L, robustness
from boundkit.proofs.authoring import *
from boundkit.theorems.byzantine_fedavg_nonconvex import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 4)
l = Rational(111, 50)
"""The weight of the descent, times s: 2 over the part of the squared gradient that the errors leave."""
k = letter_for("k", sqrt(robustness))
y_mean = 47 / (200 * (1 + k))
y_drift = (k + Rational(1, 400)) / (Rational(51, 10) + Rational(21, 5) * k)

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
            y=y_mean,
            removes=inner(aggregate_error, e.mean),
        ),
        step("error of the aggregate", ROBUST_ERROR, removes=square(aggregate_error)),
        step(
            "deviation of the drift",
            SUM_OF_TWO,
            u=g - g.mean,
            v=e.mean - e,
            y=y_drift,
            removes=inner(g, e),
        ),
        step(
            "drift in the deviation",
            SQUARE,
            of=e - e.mean,
            weight=l / 2 * (Rational(79, 15) * (1 + k) ** 2 - (1 + y_mean) * (1 + 1 / y_drift) * k**2),
        ),
        step("drift in the mean", SQUARE, of=e.mean, removes=square(e.mean)),
        step("error of a client", GRADIENT_BIAS, h=h, removes=square(e)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)


def _with_errors_shared(z: Expr) -> Certificate:
    """Return the proof with (1 + z) k^2 of the deviation of the gradients, (1 + 1/z) (1 + k^2) of all drift.

    The drift in the mean and that in the deviation count alike then, as at the worst of their directions.
    """
    drift = (1 + 1 / z) * (1 + k**2)
    of_mean = simplify(1 / (drift - 1))
    of_deviation = simplify((1 + z) / (1 + of_mean) - 1 + z / 1000 / (1 + k**2))
    rest = drift - (1 + of_mean) * (1 + 1 / of_deviation) * k**2
    return (
        PROOF.changed("error of the aggregate against drift", {"y": of_mean})
        .changed("deviation of the drift", {"y": of_deviation})
        .changed("drift in the deviation", weight=l / 2 * simplify(rest))
    )


VARIANTS = (
    _with_errors_shared(Rational(47, 200)),
    _with_errors_shared(Rational(47, 200) * (1 - Rational(4, 5) * k / (1 + k) ** 2)),
)
"""With less drift for few Byzantine clients, and for many."""
