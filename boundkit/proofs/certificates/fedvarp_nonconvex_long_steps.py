r"""FedVARP on smooth non-convex losses: the steps of SCAFFOLD, whose controls are stored updates.

Local steps are not corrected, so that w has no part of the drift, and the dissimilarity is in their error.
With other Young parameters, of which that against the age depends on the number of clients, the noise and the
error of the first stored updates weigh about half as much.
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

_l, _age, _few = Rational(38, 25), Rational(39, 10), 1 / (m - 1)
_dispersion = Rational(3, 5) + Rational(9, 100) * _few
_own = Rational(81, 50) * _dispersion
"""(1 + 1/2) 1.08 times the dispersion: by Young against the age, and against the errors."""
VARIANTS = (
    PROOF.changed("descent", weight=_l / s)
    .changed("age of the controls", weight=_l * _age * weight / C * L**2)
    .changed("controls", weight=_l * _own * weight / C)
    .changed(
        "age without participation",
        {"w": C * (Rational(1, 2) + Rational(3, 10) * _few) / (2 * s)},
        weight=2 * s * (1 - C) * _l * _age * weight / C * L**2,
    )
    .changed("weight of the variance", leaving=_l * (7 * c / (12 * C * m) + _own * weight))
    .changed("weight of the dispersion", leaving=2 * _dispersion * _l * weight)
    .changed("dispersion of the directions", {"y": Rational(2, 25)})
    .changed("weight of the mean direction", leaving=_l / 2)
    .changed("error against gradient", {"w": Rational(7, 40)})
    .changed("weight of the errors", leaving=Rational(5, 3))
    .changed("controls by error and age", {"w": 2}),
)
