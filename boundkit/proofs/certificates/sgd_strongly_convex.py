"""Minibatch SGD on smooth strongly convex losses: the loss gap contracts by 1 - eta mu."""

from boundkit.algebra.notation import mu
from boundkit.proofs.authoring import *
from boundkit.theorems.sgd_strongly_convex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(one_step_chart(1, curved=True),),
    contraction=s * mu,
    steps=(
        step("loss after the round", LOSS_AFTER, removes=next_loss_gap),
        step("descent", DESCENT, removes=decrease),
        step("mean of the clients", PARTICIPATION, removes=direction),
        step("no drift along the gradient", ONE_LOCAL_STEP, against=g.mean, removes=inner(g.mean, e.mean)),
        step("no drift", ONE_LOCAL_STEP, against=e.mean, removes=square(e.mean)),
        step("noise", NOISE, removes=client_variance),
        step("gradient dominance", GRADIENT_DOMINANCE, removes=square(g.mean)),
    ),
)
