"""By the proof of the sharper constants; others of its numbers give longer steps, or less noise drift."""

from sympy import Expr

from boundkit.algebra.notation import tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import LARGER as SHARP
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import c, s, share_left
from boundkit.theorems.fedavg_nonconvex import THEOREM

PROOF = SHARP.of(THEOREM)


def _with_numbers(w: Expr, k: Expr, y: Expr, p: Expr, q: Expr, **more: bool) -> Certificate:
    """Return the proof with w for the error against the gradient, k for the share, y, p, q for a client's."""
    return (
        PROOF.changed("descent", weight=1 / (share_left(w, k) * s))
        .changed("error against gradient", {"w": w})
        .changed("error of a client", {"y": y, "p": p, "q": q, **more})
    )


LONGER = _with_numbers(
    Rational(1, 4) - c / (20 * tau), Rational(3, 8), Rational(1, 5), Rational(3, 8), Rational(5, 7)
)
LITTLE_NOISE_DRIFT = _with_numbers(
    Rational(1, 2), Rational(6, 25), Rational(1, 2), Rational(12, 25), Rational(5, 9), shared=True
)
VARIANTS = (LONGER, LITTLE_NOISE_DRIFT)
