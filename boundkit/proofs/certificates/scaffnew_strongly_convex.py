"""Scaffnew: the coin shrinks the controls by 1 - exchange^2, gradient steps the models by (1 - eta mu)^2."""

from sympy import Min

from boundkit.algebra.notation import control_error_star, eta, exchange, mu
from boundkit.proofs.authoring import *
from boundkit.theorems.scaffnew_strongly_convex import THEOREM

shrinkage = Min(eta * mu * (2 - eta * mu), exchange**2)
rho = letter_for("rho", shrinkage)
weight = (eta / exchange) ** 2

PROOF = Certificate(
    THEOREM,
    names={rho: shrinkage},
    charts=(contracting_step_chart(*(each - rho for each in shrinkage.args)),),
    contraction=rho,
    potential={control_error_star: weight},
    steps=(
        step("exchange", EXCHANGED_MODELS, removes=next_square_distances),
        step("gradient step", SHRINKING_STEP, removes=square(uncontrolled)),
        step("controls", SQUARE, of=y - o, removes=inner(y, o), leaving=-2 * (1 - rho) * weight),
    ),
)
