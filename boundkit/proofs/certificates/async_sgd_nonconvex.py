"""Asynchronous SGD: the gradients that were used absorb the change of the model since they were requested."""

from boundkit.algebra.notation import L, eta, staleness
from boundkit.proofs.authoring import *
from boundkit.theorems.async_sgd_nonconvex import THEOREM

s = round_of(THEOREM).length

PROOF = Certificate(
    THEOREM,
    charts=(requested_chart(1 - eta * L - 2 * (eta * L * staleness) ** 2),),
    steps=(
        step("descent", STALE_DESCENT, weight=2 / s),
        step("stale gradients", STALENESS, weight=1),
        step("gradients in use", SQUARE, of=used_gradient.mean, removes=inner(g.mean, change.mean)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
