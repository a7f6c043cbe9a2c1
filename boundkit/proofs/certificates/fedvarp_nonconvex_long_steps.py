r"""FedVARP on smooth non-convex losses: F falls with weights of the age of the updates and of their errors.

The age is the mean squared distance of the server's model from those of the last participations, and the
errors are those of the stored updates at these models. The Young parameter against the age depends on the
number of clients.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedvarp_nonconvex_long_steps import THEOREM

s = round_of(THEOREM).length
c, h, few = s * L, Rational(1, 10), 1 / (m - 1)
share = (1 - C) / (C * (m - 1))
l, weight = Rational(38, 25), c * share
age = Rational(39, 10) * l * weight / C * L**2
dispersion = Rational(3, 5) + Rational(9, 100) * few
own = Rational(81, 50) * dispersion
"""(1 + 1/2) 1.08 times the dispersion: by Young against the age, and against the errors."""
f = a - y

PROOF = Certificate(
    THEOREM,
    charts=(controls_chart(h, Rational(1, 4), limits=[r.gts - r.lts for r in THEOREM.step_size[2:]]),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("age of the updates", AGE, weight=age),
        step("telescoping of the age", TELESCOPING_AGE, removes=next_age),
        step("stored updates", OWN_ERROR, weight=l * own * weight / C),
        step("telescoping of the stored updates", TELESCOPING_OWN_ERROR, removes=next_own_error),
        step(
            "age without participation",
            YOUNG,
            u=-z,
            v=a.mean + few * (f.mean - f),
            w=C * (Rational(1, 2) + Rational(3, 10) * few) / (2 * s),
            weight=2 * s * (1 - C) * age,
        ),
        step("participation", PARTICIPATION, removes=direction),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=l * (7 * c / (12 * C * m) + own * weight),
        ),
        step(
            "weight of the dispersion",
            SQUARE,
            of=f - f.mean,
            removes=inner(y, e),
            leaving=2 * l * dispersion * weight,
        ),
        dispersion_of_directions(Rational(2, 25), stored=y),
        step(
            "weight of the mean direction",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=l / 2,
        ),
        error_against_gradient(Rational(7, 40)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(41, 25)),
        error_of_a_client(h, Rational(23, 200), Rational(239, 800), Rational(1341, 2500)),
        step("mean of the updates", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("updates by error and age", ERROR_AND_AGE, w=2, removes=inner(g, y)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
