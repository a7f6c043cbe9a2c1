"""By the steps for rounds of one kind, which are weighted by their lengths."""

from boundkit.algebra.notation import A_noise, B_drift, C_drift, C_drift_max, tau_eff, tau_eff_max
from boundkit.proofs.authoring import VaryingRounds
from boundkit.proofs.certificates.fednova_nonconvex_tuned import BASE
from boundkit.theorems.fednova_nonconvex_varying import THEOREM

PROOF = VaryingRounds(
    THEOREM,
    BASE,
    length=tau_eff,
    varying=(A_noise, B_drift, C_drift),
    largest={tau_eff: tau_eff_max, C_drift: C_drift_max},
)
