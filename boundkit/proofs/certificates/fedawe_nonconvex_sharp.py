r"""FedAWE: the descent of the auxiliary models pays for what the stored models differ from them.

The numbers in brackets are for this theorem. In units of L^2, with l = ``weight`` (2): the errors of the
directions weigh at most E l, E near 1/2, after ``kept`` (523/1000) of the squared gradient is left, and the
offsets of the stored models ``offsets`` (13/5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import sqrt, sympify

from boundkit.algebra import Theorem
from boundkit.algebra.notation import L, mixing
from boundkit.proofs.authoring import *
from boundkit.proofs.certificate import CertificateStep
from boundkit.proofs.linear_form import Vector
from boundkit.theorems.fedawe_nonconvex_sharp import THEOREM

h = Rational(1, 8)
root = letter_for("root", sqrt(mixing))
BIAS = {"y": Rational(9, 100), "p": Rational(3, 10), "q": Rational(14, 25)}
"""Parameters of the bias of local steps."""


def steps_for(
    theorem: Theorem,
    weight: Any,
    w: Any,
    kept: Any,
    offsets: Any,
    of_bias: Any = None,
    of_change: Any = None,
    parts: tuple[Any, Any, Any] = (Rational(27, 25), Rational(11, 50), Rational(37, 200)),
    bias: Mapping[str, Any] = BIAS,
    before: tuple[CertificateStep, ...] = (),
) -> tuple[CertificateStep, ...]:
    """Return the steps for a theorem on FedAWE, after those that its claim needs ``before``.

    ``w``: Young's parameter for the auxiliary gradient. ``offsets``: the weight of those, over L^2.
    ``parts``: the parameters of the three squares of sums; ``bias``: those of the bias of local steps.
    ``of_bias``, ``of_change``: what is left of both.
    """
    s = round_of(theorem).length
    c = s * L
    of_error, of_direction, of_gradient = parts
    k = c / 2 + 1 / (4 * sympify(w))
    return (
        *before,
        step("descent", AUXILIARY_DESCENT, h=h, weight=weight / s),
        step(
            "gradient of the auxiliary model",
            YOUNG,
            u=g.mean - auxiliary_gradient,
            v=own_direction.mean,
            w=w,
            weight=weight,
        ),
        step("distance of the auxiliary model", AUXILIARY_GRADIENT, removes=square(auxiliary_gradient)),
        step(
            "error against gradient",
            YOUNG,
            u=g.mean,
            v=own_error.mean,
            w=(1 - kept - k) / (1 - 2 * k),
            removes=inner(g.mean, own_change.mean),
        ),
        step(
            "parts of the error",
            SUM_OF_TWO,
            u=own_change.mean,
            v=own_bias.mean,
            y=of_error,
            removes=inner(own_bias.mean, own_change.mean),
        ),
        step("changes over clients", JENSEN, of=own_change, removes=square(own_change.mean)),
        step("biases over clients", JENSEN, of=own_bias, removes=square(own_bias.mean)),
        step("offsets", MODEL_OFFSETS, h=h, r=root, weight=offsets * L**2),
        step(
            "parts of the directions",
            SUM_OF_TWO,
            u=own_gradient,
            v=-own_bias,
            y=of_direction,
            removes=inner(own_bias, g),
        ),
        *_leaving("weight of the biases", own_bias, of_bias),
        step(
            "bias of a client",
            OWN_BIAS,
            h=h,
            **bias,
            removes=square(own_bias),
        ),
        step(
            "parts of the own gradients",
            SUM_OF_TWO,
            u=g,
            v=-own_change,
            y=of_gradient,
            removes=inner(own_change, g),
        ),
        *_leaving("weight of the changes", own_change, of_change),
        step("changes", OWN_GRADIENTS, removes=square(own_change)),
        step("offsets over clients", JENSEN, of=model_offset, removes=square(model_offset)),
        step("dissimilarity", BETA_KAPPA, removes=square(g)),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    )


def _leaving(name: str, of: Vector, weight: Any) -> tuple[CertificateStep, ...]:
    """Return the step that leaves a weight of a square, if one is given: a simple formula is larger."""
    return () if weight is None else (step(name, SQUARE, of=of, removes=square(of), leaving=weight),)


_conditions = [each.gts - each.lts for each in (THEOREM.step_size[0], THEOREM.step_size[2])]
PROOF = Certificate(
    THEOREM,
    charts=(absent_clients_chart(h, Rational(1, 2), root, limits=_conditions),),
    names={root: sqrt(mixing)},
    steps=steps_for(
        THEOREM,
        weight=2,
        w=Rational(13, 10),
        kept=Rational(523, 1000),
        offsets=Rational(13, 5),
        parts=(Rational(51, 50), Rational(1, 10), Rational(11, 100)),
        bias={"y": Rational(9, 100), "p": Rational(149, 500), "q": Rational(277, 500)},
    ),
)
