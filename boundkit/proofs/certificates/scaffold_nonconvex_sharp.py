"""By the steps of scaffold_nonconvex, for the differences of controls, which alone act with all clients."""

from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex import PROOF as BASE
from boundkit.theorems.scaffold_nonconvex_sharp import THEOREM

PROOF = (
    BASE.of(THEOREM)
    .changed("controls", lemma=CORRECTION_ERROR)
    .replaced(
        "telescoping of the controls",
        step("telescoping of the controls", TELESCOPING_CORRECTION_ERROR, removes=next_correction_error),
    )
    .without("mean of the controls")
    .replaced(
        "controls by error and age",
        step("corrections by error and age", CORRECTION_AND_AGE, w=1, removes=inner(g, y)),
        step("corrections improve", SQUARE, of=q - q.mean, removes=square(q.mean)),
    )
)
