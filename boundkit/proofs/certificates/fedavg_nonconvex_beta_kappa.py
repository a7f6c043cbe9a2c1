"""By the steps of fedavg_nonconvex, under (beta, kappa) dissimilarity.

The chart for tau >= 2 has the coordinate u = eta L tau beta, which the step condition bounds. The
constants are so large that the same steps hold where that condition has 10 for 1, and others with a tenth of
the noise drift.
"""

from dataclasses import replace

from sympy import Symbol

from boundkit.algebra.notation import L, beta, eta, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex import LITTLE_NOISE_DRIFT, LONGER
from boundkit.theorems.fedavg_nonconvex_beta_kappa import THEOREM

s = round_of(THEOREM).length
c, n, u = (Symbol(name) for name in ("c", "n", "u"))


def charts(drift: Rational, limit: int, most: Rational) -> tuple[CoordinateChart, CoordinateChart]:
    """Return the charts where (eta L)^2 tau (tau - 1) is at most ``drift``, times 8 beta^2 + 4 ``limit``."""
    one, more = one_or_more_steps(Rational(1, 2), drift)
    with_slope = replace(
        more,
        coordinates=(*more.coordinates, coordinate("u", eta * L * tau * beta, 0, most, positive=True)),
        values={**more.values, beta: u / c},
        constraints=(*more.constraints, limit * (2 + n) - (1 + n) * (8 * u**2 + 4 * c**2)),
    )
    return one, with_slope


PROOF = (
    LONGER.of(THEOREM, charts=charts(Rational(1, 12), 1, Rational(1, 2)))
    .changed("descent", weight=2 / s)
    .changed("dissimilarity", lemma=BETA_KAPPA)
)

_h = Rational(1, 2)
VARIANTS = (
    LITTLE_NOISE_DRIFT.of(THEOREM, charts=PROOF.charts)
    .changed("descent", weight=2 / ((1 - Rational(12, 25) * (beta * eta * L * (tau - 1)) ** 2) * s))
    .changed("dissimilarity", lemma=BETA_KAPPA),
    PROOF.of(THEOREM, charts=charts(Rational(1, 4), 10, Rational(8, 5)))
    .changed("descent", weight=4 / s)
    .changed("error against gradient", {"w": Rational(9, 25)})
    .changed("variance of a client", {"h": _h})
    .replaced(
        "error of a client",
        error_of_a_client(_h, Rational(1, 10), Rational(83, 200), Rational(3, 2), order=2, whole=True),
    ),
)
