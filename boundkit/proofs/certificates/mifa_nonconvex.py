r"""MIFA with full gradients and one local step: the error of the stored gradients is paid by the descent."""

from boundkit.algebra.notation import L, staleness
from boundkit.proofs.authoring import *
from boundkit.theorems.mifa_nonconvex import THEOREM

s = round_of(THEOREM).length
ages = staleness * (staleness + 1) / 2

PROOF = Certificate(
    THEOREM,
    charts=(stale_chart(),),
    steps=(
        step("descent", STORED_DESCENT, weight=2 / s),
        step("direction", SQUARE, of=a.mean, weight=1 - s * L - (s * L) ** 2 * ages),
        step("errors over clients", JENSEN, of=e, weight=1),
        step("age of the stored gradients", BOUNDED_AGE, weight=1),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
