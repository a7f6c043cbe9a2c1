r"""FedVARP on smooth non-convex losses: F falls with weights of the age of the updates and of their errors.

The age is the mean squared distance of the server's model from those of the last participations, and the
errors are those of the stored updates at these models. The Young parameter against the age depends on the
number of clients.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedvarp_nonconvex_sharp import THEOREM

s = round_of(THEOREM).length
c, h, few = s * L, Rational(1, 10), 1 / (m - 1)
share = (1 - C) / (C * (m - 1))
l, weight = Rational(1397, 1000), c * share
age = Rational(9, 2) * l * weight / C * L**2
share_of_age = Rational(43, 100) + few / 4
by_age = s**2 * (1 - C) * age / (C * share_of_age)
longest = l * (1 - C) ** 2 * (1 + few) / (162 * share_of_age)
"""The weight of the mean direction by absent clients' age, and what the last step condition makes of it."""
dispersion = Rational(109, 200) + Rational(33, 500) * few
young = Rational(9, 500) + Rational(27, 1000) * few
own = Rational(23, 18) * (1 + young) * dispersion
"""(1 + 5/18) (1 + young) times the dispersion: by Young against the age, and against the errors."""
f = a - y

PROOF = Certificate(
    THEOREM,
    charts=(controls_chart(h, Rational(1, 4), limits=[C**3 * m - (9 * c) ** 3]),),
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
            w=C * share_of_age / (2 * s),
            weight=2 * s * (1 - C) * age,
        ),
        step(
            "mean direction by the age",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=l - 2 * longest + 2 * few**2 * by_age,
        ),
        step("participation", PARTICIPATION, removes=direction),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=l * (Rational(109, 200) * c / (C * m) + own * weight),
        ),
        step(
            "weight of the dispersion",
            SQUARE,
            of=f - f.mean,
            removes=inner(y, e),
            leaving=2 * l * dispersion * weight,
        ),
        dispersion_of_directions(young, stored=y),
        step(
            "weight of the mean direction",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=Rational(18, 25) * l,
        ),
        error_against_gradient(Rational(39, 200)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(157, 100)),
        error_of_a_client(h, Rational(23, 200), Rational(239, 800), Rational(1341, 2500)),
        step("mean of the updates", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("updates by error and age", ERROR_AND_AGE, w=Rational(18, 5), removes=inner(g, y)),
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
