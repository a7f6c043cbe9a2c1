r"""FedAvg with cyclic client participation, one gradient a round, with a step size that depends on T.

With a step size of the order $log(T)/T$ the initial gap falls as fast as the sampling error: the cyclic order
costs $1/T^2$, the sampling inside a group $1/T$. So for many rounds the sampling error dominates, and cyclic
participation is no worse than uniform sampling.

Proof. Put $eta = log(m T^2/K^2)/(mu_PL T)$ into cyclic_pl, with $K$ groups and $T/K$ cycles. Since $1 -
z <= exp(-z)$, the initial gap is multiplied by at most $exp(-eta mu_PL T) = K^2/(m T^2)$. The other
terms are evaluated at that step size, which is allowed where $eta L K <= 1/5$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.cyclic_pl import THEOREM as BASE

LOG = log(m * T**2 / groups**2)

THEOREM = tuned(
    BASE,
    {eta: LOG / (mu_pl * T)},
    "cyclic_pl_tuned",
    title="Cyclic client participation, one gradient a round, tuned step size",
    requires=(*BASE.requires, at_least(T, 2 * groups)),
    steps=(at_least(T, 5 * L * groups * LOG / mu_pl),),
    instead={"initial gap": groups**2 * gap / (m * T**2)},
    because={"initial gap": "exp(-log(m T^2/groups^2)), since 1 - z <= exp(-z)"},
    becomes=(
        to(
            "cyclic_pl_gd_rate",
            {sigma: 0},
            factors={
                "initial gap": 1 / c_1,
                "partial participation": (15 * groups - 4) / (20 * c_3 * groups**2),
                "cyclic order": groups**2 / (15 * c_2 * (groups - 1) ** 2),
            },
            because="the source's rate with its constants named; its third term is larger by the number of "
            "groups",
        ),
        not_to(
            "cyclic_pl_gd_rate",
            {sigma: 0},
            factors={
                "initial gap": 1 / c_1,
                "partial participation": (15 * groups - 4) / (20 * c_3 * groups),
                "cyclic order": groups**2 / (15 * c_2 * (groups - 1) ** 2),
            },
            because="the number of groups in the source's third term is not needed, and not here",
        ),
    ),
    limits=(removes({C: 1 / groups}, "partial participation"),),
    remarks=(
        "The step size is eta = log(m T^2/groups^2)/(mu_pl T).",
        "T is a whole number of cycles, and the loss is that at the end of the last one.",
        "The first term is exactly the source's, groups^2 gap/(m T^2).",
        "With whole groups and exact gradients the bound falls as 1/T^2 up to logarithms; uniform sampling "
        "has 1/T.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order. The constants are those of cyclic_pl at the step size above.",
    ),
    prose=__doc__,
)
