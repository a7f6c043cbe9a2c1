r"""SCAFFOLD on smooth non-convex losses, partial participation: F falls with weights of Z and Q - k ||q||^2.

Z is the mean squared distance of the server's model from those at which the controls were made, Q their mean
squared error there, and q their mean error. The noise of the controls counts in Q - k ||q||^2 as it does in
the sampling variance: less what is common to all. Sampling has the weight s L (1 - C)/(C (m - 1)), the local
steps (eta L (tau - 1))^2; their Young parameters against the age are 2 and 3.
"""

from boundkit.algebra.notation import C, L, eta, m, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.scaffold_nonconvex_partial_explicit import THEOREM

s = round_of(THEOREM).length
c = s * L
h = Rational(1, 10)
l = Rational(79, 50)
few = 1 / (m - 1)
old = (1 - C) * few
weight = c * old / C
drift = (eta * L * (tau - 1)) ** 2
k = Rational(2, 5) + Rational(17, 100) * few
y_ = Rational(17, 200)
dispersion = Rational(59, 100) + Rational(1, 4) / m
own = Rational(3, 2) * (1 + y_) * dispersion * weight * (1 - Rational(19, 100) * old)
age, age_of_drift = (l * part / C * L**2 for part in (Rational(37, 10) * weight, Rational(13, 5) * drift))
share = Rational(47, 100) + 6 * few / 25
by_age_of_drift, by_age = (s**2 * (1 - C) / C * part for part in (2 * age_of_drift, age / share))
"""The weights of the mean direction, and over (m - 1)^2 of the dispersion, by absent clients' age."""
f = a - y

PROOF = Certificate(
    THEOREM,
    charts=(controls_chart(h, Rational(1, 4), limits=[r.gts - r.lts for r in THEOREM.step_size[2:]]),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("age in the local steps", AGE, weight=age_of_drift),
        step("telescoping of that age", TELESCOPING_AGE, removes=next_age),
        step("controls in the local steps", OWN_ERROR, weight=Rational(43, 100) * l * drift / C),
        step("telescoping of these controls", TELESCOPING_OWN_ERROR, removes=next_own_error),
        step(
            "age in the local steps without participation",
            YOUNG,
            u=-z,
            v=a.mean + few * (f.mean - f),
            w=C / (4 * s),
            weight=2 * s * (1 - C) * age_of_drift,
        ),
        step(
            "mean direction by that age",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=112 * l / 125 + 2 * few**2 * by_age_of_drift,
        ),
        step("age of the controls", AGE, weight=age),
        step("telescoping of the age", TELESCOPING_AGE, removes=next_age),
        step("controls", OWN_ERROR, weight=l * own / C),
        step("mean of the controls", MEAN_OWN_ERROR, weight=-k * l * own / C),
        step("telescoping of the controls", TELESCOPING_OWN_ERROR, k=k, removes=next_own_error),
        step(
            "age without participation",
            YOUNG,
            u=-z,
            v=a.mean + few * (f.mean - f),
            w=C * share / (2 * s),
            weight=2 * s * (1 - C) * age,
        ),
        step(
            "mean direction by the age",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=361 * l / 500 + 2 * few**2 * (by_age_of_drift + by_age),
        ),
        step(
            "weight of the direction",
            NONNEGATIVE,
            of=direction,
            removes=direction,
            leaving=73 * l * c / 125,
        ),
        step("participation", PARTICIPATION, removes=direction),
        step(
            "weight of the variance",
            NONNEGATIVE,
            of=client_variance,
            removes=client_variance,
            leaving=l * (c * (103 - 71 * C) / (50 * C * m) + Rational(43, 100) * drift),
        ),
        step(
            "weight of the dispersion",
            SQUARE,
            of=f - f.mean,
            removes=inner(y, e),
            leaving=2 * l * dispersion * weight,
        ),
        dispersion_of_directions(y_, stored=y),
        step("controls by error and age", CORRECTION_AND_AGE, w=2, removes=inner(g, y)),
        step(
            "old errors against new",
            YOUNG,
            u=q - q.mean,
            v=e - e.mean,
            w=Rational(1, 4),
            removes=inner(q, e),
        ),
        step(
            "their means",
            YOUNG,
            u=q.mean,
            v=-e.mean,
            w=Rational(1, 4),
            removes=inner(q.mean, e.mean),
        ),
        step(
            "weight of the mean direction",
            SQUARE,
            of=a.mean,
            removes=inner(g.mean, e.mean),
            leaving=21 * l / 50,
        ),
        error_against_gradient(Rational(7, 40)),
        step(
            "weight of the mean error",
            SQUARE,
            of=e.mean,
            removes=square(e.mean),
            leaving=l * (Rational(93, 100) - (1 + 1 / y_) * dispersion * weight),
        ),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        step("weight of the errors", SQUARE, of=e, removes=square(e), leaving=Rational(167, 100)),
        error_of_a_client(h, Rational(23, 200), Rational(239, 800), Rational(1341, 2500)),
        step("corrections by error and age", CORRECTION_AND_AGE, w=3, removes=inner(g, y)),
        step("mean of old errors", SQUARE, of=q - q.mean, removes=square(q)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
