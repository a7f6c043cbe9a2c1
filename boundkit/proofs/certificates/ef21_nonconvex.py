"""EF21: a round shrinks the error of the messages, up to its own squared step, which the descent absorbs."""

from sympy import sqrt

from boundkit.algebra.notation import L, comp_keep, eta
from boundkit.proofs.authoring import *
from boundkit.theorems.ef21_nonconvex import THEOREM

s = round_of(THEOREM).length
lost = letter_for("lost", sqrt(1 - comp_keep))

PROOF = Certificate(
    THEOREM,
    names={lost: sqrt(1 - comp_keep)},
    charts=(compression_chart(lost),),
    steps=(
        step("descent", FEEDBACK_DESCENT, weight=2 / s),
        step("errors over clients", JENSEN, of=unsent, weight=1),
        step("messages", MESSAGE_ERROR, r=lost, weight=1 / (1 - lost)),
        step(
            "squared step",
            SQUARE,
            of=stored.mean,
            weight=1 - eta * L - (eta * L * lost / (1 - lost)) ** 2,
        ),
        step("first messages", TELESCOPING_MESSAGE_ERROR, removes=next_message_error),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
