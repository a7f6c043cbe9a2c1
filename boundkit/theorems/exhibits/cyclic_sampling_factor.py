r"""Cyclic participation as a slide prints it: the sampling factor (1 - alpha - C)/(m/K - 1).

alpha is the distance between a group's gradient and the mean gradient on that slide, and a gradient cannot be
taken from 1. Read 1/K - C: then the factor vanishes where all of a group comes (C = 1/K), and with one group
it is (1 - C)/(C (m - 1)), the factor of sampling without replacement.
"""

from boundkit.algebra import Source, Term
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import C, L, T, c_1, c_2, gap, groups, m, mu_pl, sigma_between, sigma_within
from boundkit.algebra.vocabulary import LAST_LOSS_GAP

_GAP = Term("initial gap", groups**2 * gap / (m * T**2), "stated", because="as printed")
_CYCLE = Term(
    "client drift",
    c_1 * (L / mu_pl) ** 2 * (groups - 1) ** 2 * sigma_between**2 / (mu_pl * T**2),
    "order",
    because="inside O~(.), as printed",
)
_SAMPLED = c_2 * groups * L / mu_pl * sigma_within**2 / (mu_pl * C * T)

EXHIBIT = Exhibit(
    name="cyclic_sampling_factor",
    algorithm="fedavg",
    claim=LAST_LOSS_GAP,
    kind="order",
    printed=Form(
        terms=(
            _GAP,
            _CYCLE,
            Term(
                "partial participation",
                _SAMPLED * (1 - sigma_between - C) / (m / groups - 1),
                "order",
                because="inside O~(.), as printed",
            ),
        ),
    ),
    repaired=Form(
        terms=(
            _GAP,
            _CYCLE,
            Term(
                "partial participation",
                _SAMPLED * (1 / groups - C) / (m / groups - 1),
                "order",
                because="zero where a whole group comes, C = 1/groups",
            ),
        ),
    ),
    states="cyclic_pl_gd_rate",
    up_to="logarithms",
    lost="1 - alpha is 1/K: the number of groups went, and the heterogeneity took its place.",
    doubt="A fraction 1/K is easily misread as 1 - alpha where slides are turned into text.",
    source=Source(
        authors=("Cho", "Sharma", "Joshi", "Xu", "Kale", "Zhang"),
        year=2023,
        title="On the Convergence of Federated Averaging with Cyclic Client Participation",
        venue="ICML 2023",
        arxiv="2302.03109",
        where="the slide on cyclic participation, after Theorem 1",
        renamed={"K": groups, "alpha": sigma_between, "gamma": sigma_within},
    ),
    prose=__doc__,
)
