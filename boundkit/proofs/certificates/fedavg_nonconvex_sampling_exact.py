"""Importance sampling: gradients and errors are parted in the variance of the sampling itself."""

from sympy import Rational, Symbol

from boundkit.algebra.notation import L, eta, eta_s, sampling_slack, sampling_spread, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import PROOF as SAMPLING
from boundkit.proofs.certificates.fedavg_nonconvex_sampling import s
from boundkit.theorems.fedavg_nonconvex_sampling_exact import THEOREM

A, c, n, z = (Symbol(name) for name in ("A", "c", "n", "z"))
CHART = CoordinateChart(
    coordinates=(
        coordinate("A", eta * L * tau, 0, Rational(1, 8), positive=True),
        coordinate("c", eta_s * eta * L * tau, 0, Rational(3, 10), positive=True),
        coordinate("n", tau - 1),
        coordinate("z", eta_s * eta * L * tau * sampling_spread, 0, Rational(1, 24)),
    ),
    values={eta: A / (L * (1 + n)), eta_s: c / A, tau: 1 + n, sampling_spread: z / c},
)
l = 1 / (Rational(321, 400) - Rational(13, 50) * s * L)

PROOF = (
    SAMPLING.of(THEOREM, charts=(CHART,))
    .changed("descent", weight=l / s)
    .replaced(
        "sampling", step("sampling", UNBIASED_SAMPLING_OF_GRADIENTS, y=Rational(1, 9), removes=direction)
    )
    .without("dispersion of the directions")
    .replaced(
        "errors over clients",
        step("errors of participants", SQUARE, of=e.mean, weight=5 * l * s * L * sampling_slack),
        step("errors over clients", JENSEN, of=e, removes=square(e.mean)),
    )
    .changed("error against gradient", {"w": (95 - 34 * s * L) / 500})
    .changed(
        "error of a client",
        {
            "y": Rational(1, 12),
            "p": Rational(37, 125),
            "q": Rational(13, 25),
            "shared": True,
            "whole": True,
        },
    )
)
