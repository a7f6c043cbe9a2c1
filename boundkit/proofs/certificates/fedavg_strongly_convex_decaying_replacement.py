"""By the steps for all clients, and the variance of the sampled models."""

from dataclasses import replace

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying import PROOF as ALL
from boundkit.theorems.fedavg_strongly_convex_decaying_replacement import THEOREM

PROOF = replace(ALL.of(THEOREM), steps=(*ALL.steps, step("sampled models", STEP_SAMPLING, removes=replaced)))
