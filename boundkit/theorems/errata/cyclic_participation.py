"""Cho, Sharma, Joshi, Xu, Kale and Zhang (2023): cyclic client participation."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum, Form

_GAP = stated("initial gap", groups**2 * gap / (m * T**2), "as printed")
_CYCLE = order(
    "client drift",
    c_1 * (L / mu_pl) ** 2 * (groups - 1) ** 2 * sigma_between**2 / (mu_pl * T**2),
    "inside O~(.), as printed",
)
_SAMPLED = c_2 * groups * L / mu_pl * sigma_within**2 / (mu_pl * C * T) / (m / groups - 1)

ERRATA = (
    Erratum(
        name="cyclic_sampling_factor",
        source=CHO_2023.at("Theorem 1, on a slide"),
        text="talk",
        basis="units",
        printed=Form(
            LAST_LOSS_GAP,
            (
                _GAP,
                _CYCLE,
                order(
                    "partial participation", _SAMPLED * (1 - sigma_between - C), "inside O~(.), as printed"
                ),
            ),
            kind="order",
        ),
        reason="1 - alpha is 1/K: the number of groups was lost, and the distance between groups, a "
        "gradient, took its place. A fraction 1/K is easily misread so where slides are turned into text.",
        corrected=Form(
            LAST_LOSS_GAP,
            (
                _GAP,
                _CYCLE,
                order("partial participation", _SAMPLED * (1 / groups - C), "zero where a whole group comes"),
            ),
            kind="order",
        ),
        consequence="(1/K - C)/(m/K - 1) vanishes with whole groups, and with the 1/C before it is "
        "(1 - C)/(C (m - 1)) for one group, the factor of sampling without replacement.",
        theorems=("cyclic_pl_gd_rate",),
        up_to="logarithms",
    ),
    Erratum(
        name="cyclic_group_factor",
        source=CHO_2023.at("Theorem 1, the sampling term"),
        text="paper",
        basis="proof",
        printed="The number of groups multiplies the sampling error.",
        reason="Cauchy-Schwarz over the rounds of a cycle; the sampling errors of different rounds are "
        "uncorrelated.",
        corrected="cyclic_pl_local_sgd_sampled has the term without it.",
        consequence="The printed rate is true; measured error floors are the same for 1 and for 16 groups.",
        theorems=("cyclic_pl_gd_rate", "cyclic_pl_local_sgd_rate", "cyclic_pl_shuffled_rate"),
        example="boundkit demo cyclic_groups",
    ),
)
