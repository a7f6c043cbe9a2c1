r"""FedVARP on smooth non-convex losses: the steps of SCAFFOLD, whose controls are stored updates.

Local steps are not corrected, so that no weight has a part of the drift, and the dissimilarity is in their
error.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex_partial_explicit import PROOF as SCAFFOLD
from boundkit.proofs.certificates.scaffold_nonconvex_partial_explicit import c, few, h, k, old, s, weight, y_
from boundkit.theorems.fedvarp_nonconvex_long_steps import THEOREM

l = Rational(31, 20)
dispersion = Rational(573, 1000) + Rational(43, 200) / m
own = Rational(3, 2) * (1 + y_) * dispersion * weight * (1 - Rational(19, 100) * old)
age = Rational(173, 50) * l * weight / C * L**2

PROOF = (
    SCAFFOLD.of(
        THEOREM,
        charts=(controls_chart(h, Rational(1, 4), limits=[r.gts - r.lts for r in THEOREM.step_size[2:]]),),
    )
    .changed("descent", weight=l / s)
    .changed("age of the controls", weight=age)
    .changed("controls", weight=l * own / C)
    .changed("mean of the controls", weight=-k * l * own / C)
    .changed(
        "age without participation",
        {"w": C * (Rational(11, 25) + few / 4) / (2 * s)},
        weight=2 * s * (1 - C) * age,
    )
    .changed("weight of the variance", leaving=Rational(33, 50) * l * c * (3 - 2 * C) / (C * m))
    .changed("weight of the dispersion", leaving=2 * l * dispersion * weight)
    .changed("weight of the mean direction", leaving=l / 2)
    .changed("error against gradient", {"w": Rational(1, 5)})
    .changed(
        "weight of the mean error",
        leaving=l * (Rational(91, 100) - (1 + 1 / y_) * dispersion * weight),
    )
    .changed("weight of the errors", leaving=Rational(323, 200))
    .without("age in the local steps")
    .without("telescoping of that age")
    .without("controls in the local steps")
    .without("telescoping of these controls")
    .without("age in the local steps without participation")
    .without("mean direction by that age")
    .without("mean direction by the age")
    .without("weight of the direction")
    .without("corrections by error and age")
    .replaced(
        "telescoping",
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    )
)
