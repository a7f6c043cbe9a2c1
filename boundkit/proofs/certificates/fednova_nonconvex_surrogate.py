"""By the steps with the sharper constants; other numbers have a smaller gap, or hold at longer steps."""

from boundkit.algebra.notation import C_drift, L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SHARP
from boundkit.theorems.fednova_nonconvex_surrogate import THEOREM

s = round_of(THEOREM).length
c = s * L

PROOF = SHARP.of(THEOREM, charts=(solvers_chart(C_drift),))

SMALLEST_GAP = PROOF.changed("descent", weight=2 / s).changed(
    "error against gradient", {"w": (Rational(29, 80) - c / 2) / (1 - c)}
)
LONG_SERVER_STEPS = (
    PROOF.of(THEOREM, charts=(solvers_chart(C_drift, length=2),))
    .changed("descent", weight=Rational(12, 5) / s)
    .changed("noise of a client", {"y": c / (2 - c)})
    .changed("error against gradient", {"w": Rational(1, 2)})
)
h = Rational(4083, 10_000)
LONG_WALKS = (
    PROOF.of(THEOREM, charts=(solvers_chart(C_drift, walk=2),))
    .changed("descent", weight=Rational(23, 6) / s)
    .changed("noise of a client", {"y": c / (Rational(27, 25) - c)})
    .changed("error against gradient", {"w": Rational(1, 2)})
    .changed("errors of a client", {"h": h, "p": Rational(21, 11) / (1 - 2 * walk_square)})
    .changed("rest of the path's noise", {"h": h, "p": Rational(63, 22)})
)

VARIANTS = (SMALLEST_GAP, LONG_SERVER_STEPS, LONG_WALKS)
