r"""FedAWE as published: the steps of the sharper theorem, under conditions that leave most of each over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import sqrt

from boundkit.algebra import Theorem
from boundkit.algebra.notation import L, availability, kappa, mixing
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import CertificateStep
from boundkit.proofs.certificates.fedawe_nonconvex_sharp import root, steps_for
from boundkit.theorems.fedawe_nonconvex import THEOREM

Numbers = Mapping[str, Any]


def certificate_for(
    theorem: Theorem,
    numbers: Numbers,
    times: Any = 1,
    least: Any = 1,
    before: tuple[CertificateStep, ...] = (),
) -> Certificate:
    """Return the certificate of a theorem under the published conditions.

    ``times``: by how much both steps may be longer. ``least``: the least server step.
    """
    return Certificate(
        theorem,
        charts=(short_rounds_chart(times, least, root),),
        names={root: sqrt(mixing)},
        steps=steps_for(theorem, **numbers, before=before),
    )


SHORT_STEPS: Numbers = {
    "weight": Rational(6, 5), "w": 10, "kept": Rational(17, 20), "offsets": 12,
    "of_bias": Rational(9, 2), "of_change": 6,
}  # fmt: skip
"""Almost all of the squared gradient is left."""
LONG_STEPS: Numbers = {
    "weight": 4, "w": 2, "kept": Rational(1, 2), "offsets": 12, "of_bias": 6, "of_change": 6,
    "parts": (Rational(27, 25), Rational(11, 50), Rational(2, 5)),
}  # fmt: skip
"""Steps may be ten times as long."""
SMALL_SERVER_STEPS: Numbers = {
    "weight": 3, "w": 2, "kept": Rational(1, 2), "offsets": 13, "of_bias": Rational(21, 10),
    "of_change": Rational(13, 2), "parts": (3, Rational(11, 50), Rational(2, 5)),
}  # fmt: skip
"""The bias of local steps weighs little, which server steps below 1 leave large."""

_moved = round_of(THEOREM).length * L / (availability * (1 - root))
MIXING_SOON = step("mixing", MIXING, of=kappa**2, weight=100 * _moved**2)
"""It leaves one factor 1 - sqrt(mixing) of the two that divide the dissimilarity, as q^2 <= 1 - mixing."""

PROOF = certificate_for(THEOREM, LONG_STEPS, times=10)
VARIANTS = (
    certificate_for(THEOREM, SHORT_STEPS, before=(MIXING_SOON,)),
    certificate_for(THEOREM, SHORT_STEPS),
    certificate_for(THEOREM, SMALL_SERVER_STEPS, least=Rational(1, 10)),
)
