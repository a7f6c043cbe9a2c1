"""Selection by the losses, compared at the mean of the local models, with steps that fall."""

from boundkit.algebra.notation import eta, mu, offset, rho_bar, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_strongly_convex_decaying import PROOF as ALL
from boundkit.theorems.biased_selection_strongly_convex_decaying_sharp import THEOREM

PROOF = ALL.of(
    THEOREM,
    charts=(selection_chart(Rational(3, 8), offset - tau + 1, positive=True),),
    contraction=eta * mu * (1 + Rational(3, 8) * rho_bar),
).replaced(
    "excess loss of the clients",
    step("excess loss of the clients", SELECTED_EXCESS, removes=mean_excess),
    step("strong convexity", STRONG_CONVEXITY, removes=loss_gap),
)
