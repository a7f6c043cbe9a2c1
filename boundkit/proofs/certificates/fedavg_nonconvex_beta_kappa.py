"""By the steps of the sharper constants, under (beta, kappa) dissimilarity.

The chart for tau >= 2 has the coordinate u = eta L tau beta, which the step condition bounds.
"""

from dataclasses import replace

from sympy import Symbol

from boundkit.algebra.notation import L, beta, eta, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import PROOF as SHARP
from boundkit.theorems.fedavg_nonconvex_beta_kappa import THEOREM

s = round_of(THEOREM).length
c, n, u = (Symbol(name) for name in ("c", "n", "u"))
one, more = one_or_more_steps(Rational(1, 2), Rational(1, 12))
more = replace(
    more,
    coordinates=(*more.coordinates, coordinate("u", eta * L * tau * beta, 0, Rational(1, 2), positive=True)),
    values={**more.values, beta: u / c},
    constraints=(*more.constraints, 2 + n - (1 + n) * (8 * u**2 + 4 * c**2)),
)

PROOF = (
    SHARP.of(THEOREM, charts=(one, more))
    .changed("descent", weight=2 / s)
    .changed("dissimilarity", lemma=BETA_KAPPA)
)
