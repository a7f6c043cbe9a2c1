"""By the proof of the sharper constants; other numbers of it hold at longer steps."""

from boundkit.algebra.notation import tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import PROOF as SHARP
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import c, s, share_left
from boundkit.theorems.fedavg_nonconvex import THEOREM

w = Rational(1, 4) - c / (20 * tau)

PROOF = SHARP.of(THEOREM)
LONGER = (
    PROOF.changed("descent", weight=1 / (share_left(w, Rational(3, 8)) * s))
    .changed("error against gradient", {"w": w})
    .changed("error of a client", {"y": Rational(1, 5), "p": Rational(3, 8), "q": Rational(5, 7)})
)
VARIANTS = (LONGER,)
