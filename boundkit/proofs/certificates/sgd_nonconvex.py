"""Minibatch SGD on smooth non-convex losses: descent with half of the squared gradient left."""

from boundkit.proofs.authoring import *
from boundkit.theorems.sgd_nonconvex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(1),),
    steps=(
        step("descent", DESCENT, weight=2 / s),
        step("mean of the clients", PARTICIPATION, removes=direction),
        step("no drift along the gradient", ONE_LOCAL_STEP, against=g.mean, removes=inner(g.mean, e.mean)),
        step("no drift", ONE_LOCAL_STEP, against=e.mean, removes=square(e.mean)),
        step("noise", NOISE, removes=client_variance),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
