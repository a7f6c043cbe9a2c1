"""By the steps of scaffold_nonconvex, for the differences of controls, which alone act with all clients.

The descent weighs (31/20)/s, the error of the corrections (12/25) (eta L (tau - 1))^2, and their age, which
is short, ten times as much. The Young parameter of the error against the gradient leaves exactly the squared
gradient at every step size.
"""

from typing import Any

from boundkit.algebra.notation import L, eta_s
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.scaffold_nonconvex import PROOF as BASE
from boundkit.proofs.certificates.scaffold_nonconvex import b, s
from boundkit.theorems.scaffold_nonconvex_sharp import THEOREM

h = Rational(1, 10)


def with_numbers(
    proof: Certificate, l: Any, corrections: Any, age: Any, own: Any, local: Any, *numbers: Any
) -> Certificate:
    """Return the proof with the weights l/s, ``corrections`` b^2 and ``age`` times that, b = eta L (tau - 1).

    ``own``: the share in b^2 of the gradient in its own error. ``local``: what eta L tau is at most, with the
    ``numbers`` of the local steps.
    """
    length = s if eta_s in proof.theorem.quantities else s.subs(eta_s, 1)
    c = length * L
    direction = l * c / 2 + age * corrections * (b * c) ** 2
    return (
        proof.changed("descent", weight=l / length)
        .changed("age of the controls", weight=age * corrections * b**2 * L**2)
        .changed("controls", weight=corrections * b**2)
        .changed("error against gradient", {"w": (l - direction - 1 - own * b**2) / (l - 2 * direction)})
        .changed("variance of a client", {"h": local})
        .replaced("error of a client", error_of_a_client(local, *numbers))
        .changed("corrections by error and age", {"w": age})
    )


PROOF = with_numbers(
    BASE.of(THEOREM, charts=(inverse_steps_chart(h, Rational(11, 20)),))
    .changed("controls", lemma=CORRECTION_ERROR)
    .replaced(
        "telescoping of the controls",
        step("telescoping of the controls", TELESCOPING_CORRECTION_ERROR, removes=next_correction_error),
    )
    .without("mean of the controls")
    .replaced(
        "controls by error and age",
        step("corrections by error and age", CORRECTION_AND_AGE, w=12, removes=inner(g, y)),
        step("corrections improve", SQUARE, of=q - q.mean, removes=square(q.mean)),
    ),
    Rational(31, 20),
    Rational(12, 25),
    10,
    Rational(23, 50),
    h,
    Rational(7, 100),
    Rational(287, 1000),
    Rational(109, 200),
)
