r"""FedAvg with cyclic participation of sampled parts of groups and tau local SGD steps.

The terms are those of cyclic_pl_local_sgd, with constants that are a little larger, and the sampling error
inside a group, with the factor $(1 - C K)/(C (m - K))$ of sampling without replacement. The number of groups
multiplies neither it nor the noise.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.cyclic_pl_local_sgd import THEOREM as UNSAMPLED

_PART = (1 - C * groups) / (C * (m - groups))

THEOREM = upper(
    "cyclic_pl_local_sgd_sampled",
    title="Cyclic client participation of sampled groups, local SGD",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=tuple(each for each in UNSAMPLED.assumptions if each != WHOLE_GROUPS),
    requires=(
        at_most(mu_pl, L),
        at_least(groups, 2),
        at_least(m, 2 * groups),
        at_most(C * groups, 1),
    ),
    steps=UNSAMPLED.step_size,
    terms=(
        UNSAMPLED.bound.terms["initial gap"],
        derived(
            "stochastic noise",
            Rational(13, 20) * eta * L * sigma**2 / (C * m * mu_pl),
            "as of whole groups, and the rest of what noise adds to the differences of clients",
        ),
        derived(
            "noise drift",
            Rational(2, 5) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl,
            "as of whole groups, and part of what noise adds to the differences of clients",
        ),
        derived(
            "partial participation",
            Rational(7, 10) * eta * L * tau * sigma_within**2 * _PART / mu_pl,
            "0.558 times 9/8 for the noise in the differences, and for their growth",
        ),
        UNSAMPLED.bound.terms["client drift"],
        UNSAMPLED.bound.terms["cyclic order"],
    ),
    remarks=(
        UNSAMPLED.remarks[0],
        "The proof needs sigma_b at the starts of cycles alone, and sigma_w also where a group participates "
        "and at the mean models of its local steps.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order for local SGD. This statement stands on the proof here alone.",
    ),
    prose=__doc__,
)
