"""FedAvg with momentum at long server steps: the mean direction has the weight that polarisation needs."""

from boundkit.algebra.notation import L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_partial_long_steps import share
from boundkit.proofs.certificates.fedavgm_nonconvex_partial import PROOF as SHORT
from boundkit.theorems.fedavgm_nonconvex_partial_long_steps import THEOREM, length

l = Rational(17, 8)
w = 2
s = round_of(THEOREM).length

PROOF = (
    SHORT.of(THEOREM, charts=(momentum_chart(Rational(1, 8), 1, length),))
    .changed("descent", {"w": w}, weight=l / s)
    .changed("dispersion of the directions", {"y": Rational(1, 9)})
    .replaced("error of a client", error_of_a_client(Rational(1, 8)))
    .replaced(
        "error against gradient",
        step("mean direction", SQUARE, of=a.mean, removes=inner(g.mean, e.mean)),
        step("errors of participants", SQUARE, of=e.mean, weight=5 * l * s * L * share * noise_factor(w)),
    )
)

_SMALLER = Rational(103, 50)
LESS_NOISE = (
    PROOF.changed("descent", weight=_SMALLER / s)
    .changed("dispersion of the directions", {"y": Rational(47, 250)})
    .changed("errors of participants", weight=Rational(266, 100) * _SMALLER * s * L * share * noise_factor(w))
    .replaced(
        "error of a client",
        error_of_a_client(
            Rational(1, 8),
            Rational(13, 250),
            Rational(287, 1000),
            Rational(133, 250),
            shared=True,
            whole=True,
        ),
    )
)
VARIANTS = (LESS_NOISE,)
