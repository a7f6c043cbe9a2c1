"""Clients that are available with known probabilities, one local step: an unbiased sampling of clients."""

from boundkit.algebra.notation import availability, beta, m
from boundkit.proofs.authoring import *
from boundkit.theorems.fedavg_nonconvex_known_availability import THEOREM

s = round_of(THEOREM).length
spread = (1 - availability) / (availability * m)

PROOF = Certificate(
    THEOREM,
    charts=(one_step_server_chart(2 * (1 + spread * beta**2)),),
    steps=(
        step("descent", DESCENT, weight=Rational(4, 3) / s),
        step("available clients", UNBIASED_SAMPLING, removes=direction),
        step("no drift along the gradient", ONE_LOCAL_STEP, against=g.mean, removes=inner(g.mean, e.mean)),
        step("no drift along gradients", ONE_LOCAL_STEP, against=g, removes=inner(g, e)),
        step("no drift of the mean", ONE_LOCAL_STEP, against=e.mean, removes=square(e.mean)),
        step("no drift", ONE_LOCAL_STEP, against=e, removes=square(e)),
        step("noise of a client", SAMPLED_NOISE, removes=sampled_variance),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
