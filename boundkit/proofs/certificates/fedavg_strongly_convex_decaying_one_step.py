"""Sampling with replacement, one local step: the variance of a sampled gradient, of clients and of noise."""

from boundkit.algebra.notation import eta, mu
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_strongly_convex_decaying_one_step import THEOREM

PROOF = Certificate(
    THEOREM,
    charts=(local_step_chart(1),),
    contraction=eta * mu,
    steps=(
        step("squared distance", SAMPLED_STEP_DISTANCE, removes=next_square_distance),
        step("towards the optimum", SAMPLED_STEP_APPROACH, removes=local_approach),
        step("gradient and loss", GRADIENT_AND_LOSS, removes=square(g.mean)),
    ),
)
