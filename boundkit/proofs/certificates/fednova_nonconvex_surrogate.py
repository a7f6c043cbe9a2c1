"""By the steps with the sharper constants, as B and C bound all walks; a variant has less noise drift."""

from boundkit.algebra.notation import C_drift, L
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fednova_nonconvex_surrogate_sharp import PROOF as SHARP
from boundkit.theorems.fednova_nonconvex_surrogate import THEOREM

s = round_of(THEOREM).length

PROOF = SHARP.of(THEOREM, charts=(solvers_chart(C_drift),))

LESS_NOISE_DRIFT = (
    PROOF.changed("descent", weight=Rational(5, 2) / s)
    .changed("noise of a client", {"y": s * L / (1 - s * L)})
    .changed("error against gradient", {"w": Rational(1, 2)})
    .changed(
        "errors of a client",
        {
            "u": Rational(33, 10) * walk_length,
            "p": Rational(159, 100) / (1 - 4 * walk_square),
            "q": Rational(12, 5),
        },
    )
)

VARIANTS = (LESS_NOISE_DRIFT,)
