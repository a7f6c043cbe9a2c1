r"""FedAWE: the offsets of the stored models from the auxiliary models, whose descent pays for their gradient.

Every line is about gradients at the mean of the auxiliary models. The descent has a weight in proportion to
the squared step, as everything else in the bound, so that its errors weigh little. Its noise is as small as
the stale models' own, since mixing is at most 1 - availability^2. So is what their noise feeds back to them,
which falls with mixing.
"""

from __future__ import annotations

from boundkit.algebra.notation import L, availability, beta, m, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedawe_nonconvex_sharp import PROOF as SHARP
from boundkit.proofs.certificates.fedawe_nonconvex_sharp import h, root
from boundkit.theorems.fedawe_consensus import THEOREM

s = round_of(THEOREM).length
c = s * L
descents = Rational(199, 100) * beta**2 * (c / (1 - root)) ** 2 / s
"""The weight of the descent, over mixing."""
offsets = 1 + root**2 / 5
"""The weight of the offsets, over L^2: 1, and what they feed back to themselves."""
rare = (1 - availability) / (availability * (1 - root))
noises = L * s**2 * RETURNS * Rational(8, 7) / (m * tau) * (descents / 2 + L * rare / 5)
"""The weight of mixing, in the noise of the descent and of the offsets."""
at = auxiliary
own = auxiliary - auxiliary_change
error = auxiliary_change + own_bias
PROOF = Certificate(
    THEOREM,
    charts=(mixing_rounds_chart(8, 10, root),),
    names=SHARP.names,
    steps=(
        step("descent", AUXILIARY_DESCENT, h=h, at=at, weight=descents * root**2),
        step(
            "error against gradient",
            YOUNG,
            u=auxiliary_gradient,
            v=error.mean,
            w=(Rational(87, 500) - c / 2) / (1 - c),
            removes=inner(auxiliary_gradient, auxiliary_change.mean),
        ),
        step(
            "parts of the error",
            SUM_OF_TWO,
            u=auxiliary_change.mean,
            v=own_bias.mean,
            y=Rational(31, 20),
            removes=inner(own_bias.mean, auxiliary_change.mean),
        ),
        step("changes over clients", JENSEN, of=auxiliary_change, removes=square(auxiliary_change.mean)),
        step("biases over clients", JENSEN, of=own_bias, removes=square(own_bias.mean)),
        step("offsets", MODEL_OFFSETS, h=h, r=root, at=at, weight=offsets * L**2),
        step(
            "parts of the directions",
            SUM_OF_TWO,
            u=own,
            v=-own_bias,
            y=Rational(39, 250),
            removes=inner(own_bias, auxiliary),
        ),
        step(
            "bias of a client",
            OWN_BIAS,
            h=h,
            at=at,
            y=Rational(9, 100),
            p=Rational(149, 500),
            q=Rational(277, 500),
            removes=square(own_bias),
        ),
        step(
            "parts of the own gradients",
            SUM_OF_TWO,
            u=auxiliary,
            v=-auxiliary_change,
            y=Rational(129, 1000),
            removes=inner(auxiliary, auxiliary_change),
        ),
        step("changes", OWN_AUXILIARY, removes=square(auxiliary_change)),
        step("dissimilarity", AUXILIARY_DISSIMILARITY, removes=square(auxiliary)),
        step("mixing", MIXING, weight=noises),
        step("telescoping", TELESCOPING_LOSS, removes=decrease),
    ),
)
