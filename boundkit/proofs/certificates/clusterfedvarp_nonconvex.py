r"""ClusterFedVARP on smooth non-convex losses, as published: the steps of the sharper constants.

A share ``missed`` of the start-up of the stored updates is charged to their error, as there, and the rest to
that of the first direction, in which it is as large: so it costs nothing where no cluster is missed. Other
numbers prove it for server steps twice as long, and without the limit C m/16.
"""

from typing import Any

from sympy import sympify

from boundkit.algebra.notation import C, m, missed
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.clusterfedvarp_nonconvex_sharp import PROOF as SHARP
from boundkit.proofs.certificates.clusterfedvarp_nonconvex_sharp import share
from boundkit.proofs.certificates.fedvarp_nonconvex import c, h, s
from boundkit.theorems.clusterfedvarp_nonconvex import THEOREM

l, stored = Rational(9, 5), Rational(32, 21)

PROOF = (
    SHARP.of(THEOREM)
    .changed("descent", weight=l / s)
    .changed("stored updates", {"w": (1 - missed) / 2}, weight=stored * l * c * share / (1 - missed))
    .replaced(
        "telescoping of stored updates",
        step("from the first direction", FIRST_DIRECTION, k=Rational(9, 20), weight=stored * l * c),
        SHARP.step("telescoping of stored updates"),
    )
    .changed("weight of the direction", leaving=4 * l * c / 7)
    .changed("dispersion of the directions", {"y": Rational(1, 3)})
    .changed("clients of a cluster", {"y": Rational(1, 3)})
    .changed("error against gradient", {"w": Rational(1, 4)})
    .changed("weight of the variance", leaving=20 * l * c / (7 * C * m))
    .changed("weight of the errors", leaving=Rational(19, 5))
)


def _with_weights(chart: CoordinateChart, l: Any, stored: Any, v: Any, noise: Any, error: Any) -> Certificate:
    return (
        PROOF.of(THEOREM, charts=(chart,))
        .changed("descent", weight=l / s)
        .changed("stored updates", weight=stored * l * c * share / (1 - missed))
        .changed("from the first direction", weight=stored * l * c)
        .changed("weight of the direction", leaving=v * l * c)
        .changed("weight of the variance", leaving=noise * l * c / (C * m))
        .changed("weight of the errors", leaving=sympify(error))
    )


VARIANTS = (
    _with_weights(
        clusters_chart(h, Rational(1, 2), times=0), Rational(5, 2), Rational(8, 5), Rational(3, 5), 5, 20
    ),
    _with_weights(clusters_chart(h, Rational(1, 4), root=4), Rational(9, 4), 3, 1, 6, 30)
    .changed("from the first direction", {"k": Rational(1, 8)})
    .changed("error against gradient", {"w": Rational(1, 8)}),
)
