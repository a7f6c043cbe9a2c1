r"""FedAWE at the auxiliary sequence of the source, whose gradient is near that at the mean of all models."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedawe_nonconvex import (
    LONG_STEPS,
    SHORT_STEPS,
    SMALL_SERVER_STEPS,
    certificate_for,
)
from boundkit.theorems.fedawe_nonconvex_auxiliary import THEOREM

_BEFORE = (
    step(
        "gradient at the mean model",
        SUM_OF_TWO,
        u=g.mean,
        v=sequence_gradient - g.mean,
        y=Rational(1, 10),
        weight=1,
    ),
    step("distance of the sequence", MISSED_GRADIENTS, weight=11),
)

_SHORT = {
    **SHORT_STEPS, "weight": Rational(7, 5), "offsets": 14, "of_bias": Rational(26, 5),
    "of_change": 7,
}  # fmt: skip
_LONG = {
    **LONG_STEPS, "weight": Rational(11, 2), "offsets": 19, "of_bias": 9,
    "of_change": Rational(19, 2),
}  # fmt: skip
_SMALL_SERVER_STEPS = {
    **SMALL_SERVER_STEPS, "weight": Rational(13, 5), "offsets": 27, "of_bias": Rational(3, 2),
    "of_change": Rational(27, 2), "parts": (9, Rational(11, 50), Rational(2, 5)),
}  # fmt: skip

PROOF = certificate_for(THEOREM, _LONG, times=10, before=_BEFORE)
VARIANTS = (
    certificate_for(THEOREM, _SHORT, before=_BEFORE),
    certificate_for(THEOREM, _SMALL_SERVER_STEPS, least=Rational(1, 10), before=_BEFORE),
)
