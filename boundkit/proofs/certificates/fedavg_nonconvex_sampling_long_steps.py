"""By the steps of the shorter step sizes; the descent weighs one over the part that the errors leave."""

from sympy import Rational

from boundkit.algebra.notation import sampling_slack
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import PROOF as SHORT
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import c, excess, s
from boundkit.theorems.fedavg_nonconvex_sampling_long_steps import THEOREM

h, y = Rational(1, 4), Rational(209, 500)
left = Rational(299, 500) - Rational(17, 125) * c - Rational(171, 250) * c * excess
part = (449 - 146 * c - 348 * c * excess) / 393

PROOF = (
    SHORT.of(THEOREM, charts=(sampling_chart(h, 1, 14),))
    .changed("descent", weight=1 / (left * s))
    .changed("dispersion of the directions", {"y": y})
    .changed("error against gradient", {"w": Rational(193, 500)})
    .replaced(
        "errors over clients",
        step("errors of participants", SQUARE, of=e.mean, weight=2 * c * sampling_slack / part),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
    )
    .changed("variance of a client", {"h": h})
    .changed(
        "error of a client", {"h": h, "y": Rational(31, 200), "p": Rational(87, 250), "q": Rational(84, 125)}
    )
)
