r"""SCAFFOLD on smooth non-convex losses, all clients: F + s w (L^2 Z + Q) falls.

The weight w is (eta L (tau - 1))^2. Z is the mean squared step of the server in the last round, Q the squared
error of the controls at the model at which they were made. The descent weighs 2/s; at least half of twice
the squared gradient is left.
"""

from boundkit.algebra.notation import L, eta, tau
from boundkit.proofs.authoring import *
from boundkit.theorems.scaffold_nonconvex import THEOREM

s = round_of(THEOREM).length
h = Rational(1, 5)
l = Rational(2)
b = eta * L * (tau - 1)
w = b**2

PROOF = Certificate(
    THEOREM,
    charts=(inverse_steps_chart(h, Rational(11, 20)),),
    steps=(
        step("descent", DESCENT, weight=l / s),
        step("age of the controls", AGE, weight=w * l * L**2),
        step("telescoping of the age", TELESCOPING_AGE, removes=next_age),
        step("controls", OWN_ERROR, weight=w * l),
        step("telescoping of the controls", TELESCOPING_OWN_ERROR, removes=next_own_error),
        step("participation", PARTICIPATION, removes=direction),
        error_against_gradient(Rational(1, 4)),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
        step("variance of a client", LOCAL_VARIANCE, h=h, removes=client_variance),
        error_of_a_client(h, Rational(1, 10), Rational(8, 25), Rational(13, 20)),
        step("mean of the controls", SQUARE, of=(g - y).mean, removes=inner(g.mean, y.mean)),
        step("controls by error and age", ERROR_AND_AGE, w=1, removes=inner(g, y)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
