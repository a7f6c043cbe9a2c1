r"""SCAFFOLD on smooth non-convex losses, partial participation: F + s w (L^2 Z + Q/2) falls.

Z is the mean squared distance of the server's model from those at which the controls were made, Q their
error there, and C w/4 the sampling variance s L (1 - C)/(C (m - 1)) with the drift's
(3/10) (eta L (tau - 1))^2. The mean direction then weighs at most 1/4, and the descent l/s: l times 0.62 of
the squared gradient is left.
"""

from boundkit.algebra.notation import C, L, eta, m, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.scaffold_nonconvex_partial_explicit import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
l = Rational(161, 100)
share = (1 - C) / (C * (m - 1))
weight = c * share + Rational(3, 10) * (eta * L * (tau - 1)) ** 2
w = 4 * weight / C
f = a - y

PROOF = Certificate(
    THEOREM,
    charts=(controls_chart(h, Rational(1, 4), limits=[r.gts - r.lts for r in THEOREM.step_size[2:]]),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("age of the controls", AGE, weight=l * w * L**2),
        step("telescoping of the age", TELESCOPING_AGE, removes=next_age),
        step("controls", OWN_ERROR, weight=l * w / 2),
        step("telescoping of the controls", TELESCOPING_OWN_ERROR, removes=next_own_error),
        step(
            "age without participation",
            YOUNG,
            u=-z,
            v=a.mean + 1 / (m - 1) * (f.mean - f),
            w=C / (4 * s),
            weight=2 * s * (1 - C) * l * w * L**2,
        ),
        step("participation", PARTICIPATION, removes=direction),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=l * (7 * c / (12 * C * m) + 2 * weight),
        ),
        step(
            "weight of the dispersion",
            SQUARE,
            of=f - f.mean,
            removes=inner(y, e),
            leaving=Rational(3, 2) * l * c * share,
        ),
        dispersion_of_directions(Rational(1, 3), stored=y),
        step(
            "weight of the mean direction",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=l / 2,
        ),
        error_against_gradient(Rational(1, 4)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=l),
        error_of_a_client(h),
        step("mean of the controls", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("controls by error and age", ERROR_AND_AGE, w=1, removes=inner(g, y)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
