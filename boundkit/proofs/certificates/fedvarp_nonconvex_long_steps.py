r"""FedVARP on smooth non-convex losses: the steps of SCAFFOLD, whose controls are stored updates.

Local steps are not corrected, so that w has no part of the drift, and the dissimilarity is in their error.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex_partial_explicit import PROOF as SCAFFOLD
from boundkit.proofs.certificates.scaffold_nonconvex_partial_explicit import c, h, l, s, share
from boundkit.theorems.fedvarp_nonconvex_long_steps import THEOREM

weight = c * share
w = 4 * weight / C

PROOF = (
    SCAFFOLD.of(
        THEOREM,
        charts=(controls_chart(h, Rational(1, 4), limits=[r.gts - r.lts for r in THEOREM.step_size[2:]]),),
    )
    .changed("age of the controls", weight=l * w * L**2)
    .changed("controls", weight=l * w / 2)
    .changed("age without participation", weight=2 * s * (1 - C) * l * w * L**2)
    .changed("weight of the variance", leaving=l * (7 * c / (12 * C * m) + 2 * weight))
    .replaced(
        "telescoping",
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    )
)
