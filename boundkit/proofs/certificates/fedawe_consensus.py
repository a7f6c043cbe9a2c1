r"""FedAWE: the spread of the stored models, with a multiple of the descent for their gradients.

That multiple is proportional to the squared step, as everything else in the bound.
"""

from boundkit.algebra.notation import L, availability, beta, eta, eta_s, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedawe_nonconvex_sharp import PROOF as SHARP
from boundkit.proofs.certificates.fedawe_nonconvex_sharp import root, steps_for
from boundkit.theorems.fedawe_consensus import THEOREM

_AGES = (1 - availability) * (2 - availability) / availability**2
moved = (eta_s * eta * tau * L) ** 2 * (root**2 / (1 - root) ** 2 + _AGES)

PROOF = Certificate(
    THEOREM,
    charts=SHARP.charts,
    names=SHARP.names,
    steps=steps_for(
        THEOREM,
        weight=Rational(15, 2) * beta**2 * moved,
        w=Rational(19, 7),
        kept=Rational(21, 40),
        spread=Rational(13, 5),
        ages=Rational(13, 5),
        of_bias=(18 + 10 * beta**2) * moved,
        of_change=(20 + 10 * beta**2) * moved,
        parts=(Rational(27, 25), Rational(1, 6), Rational(1, 5), 1),
    ),
)
