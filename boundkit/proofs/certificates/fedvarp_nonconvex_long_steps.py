r"""FedVARP on smooth non-convex losses: the steps of SCAFFOLD, whose controls are stored updates.

Local steps are not corrected, so that w has no part of the drift, and the dissimilarity is in their error.
The Young parameter against the age depends on the number of clients.
"""

from boundkit.algebra.notation import C, L, m
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex_partial_explicit import PROOF as SCAFFOLD
from boundkit.proofs.certificates.scaffold_nonconvex_partial_explicit import c, h, s, share
from boundkit.theorems.fedvarp_nonconvex_long_steps import THEOREM

l, few = Rational(38, 25), 1 / (m - 1)
weight = c * share
age = Rational(39, 10) * l * weight / C * L**2
dispersion = Rational(3, 5) + Rational(9, 100) * few
own = Rational(81, 50) * dispersion
"""(1 + 1/2) 1.08 times the dispersion: by Young against the age, and against the errors."""

PROOF = (
    SCAFFOLD.of(
        THEOREM,
        charts=(controls_chart(h, Rational(1, 4), limits=[r.gts - r.lts for r in THEOREM.step_size[2:]]),),
    )
    .changed("descent", weight=l / s)
    .changed("age of the controls", weight=age)
    .changed("controls", weight=l * own * weight / C)
    .changed(
        "age without participation",
        {"w": C * (Rational(1, 2) + Rational(3, 10) * few) / (2 * s)},
        weight=2 * s * (1 - C) * age,
    )
    .changed("weight of the variance", leaving=l * (7 * c / (12 * C * m) + own * weight))
    .changed("weight of the dispersion", leaving=2 * l * dispersion * weight)
    .changed("dispersion of the directions", {"y": Rational(2, 25)})
    .changed("weight of the mean direction", leaving=l / 2)
    .changed("error against gradient", {"w": Rational(7, 40)})
    .changed("weight of the errors", leaving=Rational(41, 25))
    .changed(
        "error of a client", {"y": Rational(23, 200), "p": Rational(239, 800), "q": Rational(1341, 2500)}
    )
    .changed("controls by error and age", {"w": 2})
    .replaced(
        "telescoping",
        step("dissimilarity", DISSIMILARITY, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    )
)
