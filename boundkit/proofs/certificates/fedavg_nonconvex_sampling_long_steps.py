"""By the steps of the shorter step sizes; the descent weighs one over the part that the errors leave."""

from sympy import Rational

from boundkit.algebra.notation import sampling_slack
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import PROOF as SHORT
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import c, excess, s
from boundkit.theorems.fedavg_nonconvex_sampling_long_steps import THEOREM

h, y = Rational(1, 4), Rational(1, 4)
left = Rational(2997, 5120) - Rational(797, 5120) * c - Rational(175, 256) * c * excess

PROOF = (
    SHORT.of(THEOREM, charts=(sampling_chart(h, 1, 14),))
    .changed("descent", weight=1 / (left * s))
    .changed("dispersion of the directions", {"y": y})
    .changed("error against gradient", {"w": Rational(2, 5)})
    .replaced(
        "errors over clients",
        step("errors of participants", SQUARE, of=e.mean, weight=Rational(5, 2) * c * sampling_slack / left),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
    )
    .changed("variance of a client", {"h": h})
    .changed(
        "error of a client", {"h": h, "y": Rational(37, 250), "p": Rational(3, 8), "q": Rational(17, 20)}
    )
)
