r"""FedAWE: the spread of the stored models, with a small multiple of the descent for their gradients."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedawe_nonconvex import certificate_for
from boundkit.theorems.fedawe_consensus import THEOREM

_SHORT = {
    "weight": Rational(3, 200), "w": 2, "kept": Rational(1, 2), "spread": Rational(11, 5),
    "ages": Rational(11, 5), "of_bias": Rational(3, 20), "of_change": Rational(1, 10),
}  # fmt: skip
_LONG = {
    "weight": Rational(19, 100), "w": 2, "kept": Rational(11, 20), "spread": Rational(27, 4),
    "ages": Rational(189, 80), "of_bias": Rational(21, 20), "of_change": Rational(3, 4),
    "parts": (Rational(27, 25), Rational(1, 10), Rational(1, 5), Rational(7, 20)),
}  # fmt: skip

PROOF = certificate_for(THEOREM, _LONG, times=10)
VARIANTS = (
    certificate_for(THEOREM, _SHORT),
    certificate_for(THEOREM, _SHORT, least=Rational(1, 10)),
)
