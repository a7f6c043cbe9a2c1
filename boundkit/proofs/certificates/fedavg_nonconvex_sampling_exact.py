"""Importance sampling: gradients and errors are parted in the variance of the sampling itself."""

from sympy import Rational, Symbol

from boundkit.algebra.notation import L, eta, eta_s, sampling_spread, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import PROOF as SAMPLING
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import s
from boundkit.theorems.fedavg_nonconvex_sampling_exact import THEOREM

A, c, n, z = (Symbol(name) for name in ("A", "c", "n", "z"))
least = Rational(1, 24)
CHART = CoordinateChart(
    coordinates=(
        coordinate("A", eta * L * tau, 0, Rational(1, 8), positive=True),
        coordinate("c", eta_s * eta * L * tau, 0, least, positive=True),
        coordinate("n", tau - 1),
        coordinate("z", eta_s * eta * L * tau * sampling_spread, 0, least),
    ),
    values={eta: A / (L * (1 + n)), eta_s: c / A, tau: 1 + n, sampling_spread: z / c},
)

PROOF = (
    SAMPLING.of(THEOREM, charts=(CHART,))
    .changed("descent", weight=(Rational(2523, 2000) + s * L / 2) / s)
    .replaced(
        "sampling", step("sampling", UNBIASED_SAMPLING_OF_GRADIENTS, y=Rational(1, 9), removes=direction)
    )
    .without("dispersion of the directions")
)
