"""By the steps for all clients, and the variance of the sampled models."""

from dataclasses import replace

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying import PROOF as ALL
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying import changed_numbers, falling_chart
from boundkit.theorems.fedavg_strongly_convex_decaying_replacement import THEOREM

PROOF = replace(ALL.of(THEOREM), steps=(*ALL.steps, step("sampled models", STEP_SAMPLING, removes=replaced)))
VARIANTS = (
    *changed_numbers(PROOF, falling_chart(Rational(1, 2)), falling_chart(Rational(1, 4), 2)),
    PROOF.changed("sampled models", lemma=STEP_SPREAD_SAMPLING),
)
