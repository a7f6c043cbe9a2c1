r"""FedAvg where groups of clients take turns, one gradient a round, with the step that fits the horizon.

With a step that falls as log(T)/T the start is forgotten as fast as the sampling error, and the three
prices show: the order costs 1/T^2, the draw from a group 1/T. So for many rounds it is the draw that
counts, and coming in turns is no worse than coming at random.

Proof. Put eta = 5 log(m T^2/K^2)/(4 mu_PL T) into cyclic_pl, with K groups and T/K cycles.
Since 1 - z <= exp(-z), the start is multiplied by exp(-(4/5) eta mu_PL T), which is K^2/(m T^2). The
other terms are what they are at that step. It is allowed where eta L K <= 1/5.
"""

from dataclasses import replace

from sympy import Rational, log

from boundkit.algebra import Limit, Reduction, Term, Theorem
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import (
    C,
    L,
    T,
    c_1,
    c_2,
    c_3,
    eta,
    gap,
    groups,
    m,
    mu_pl,
    sigma,
    sigma_between,
    sigma_within,
)
from boundkit.algebra.vocabulary import (
    BOUNDED_NOISE,
    CYCLIC_GROUPS,
    EQUAL_WEIGHTS,
    GROUP_DISSIMILARITY,
    LAST_LOSS_GAP,
    ONE_LOCAL_STEP,
    POLYAK_LOJASIEWICZ,
    SERVER_STEP_ONE,
    SMOOTH,
)
from boundkit.theorems.cyclic_pl import THEOREM as FIXED_THEOREM

_LOG = log(m * T**2 / groups**2)
_SAMPLING = (1 - C * groups) / (C * (m - groups))

THEOREM = Theorem(
    name="cyclic_pl_tuned",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    claim=LAST_LOSS_GAP,
    assumptions=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        BOUNDED_NOISE,
        GROUP_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CYCLIC_GROUPS,
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(m, 2 * groups), at_most(C * groups, 1), at_least(T, groups)),
    step_size=(at_least(T, Rational(25, 4) * L * groups * _LOG / mu_pl),),
    rules={eta: Rational(5, 4) * _LOG / (mu_pl * T)},
    terms=(
        Term(
            "initial gap",
            groups**2 * gap / (m * T**2),
            provenance="derived",
            because="exp(-log(m T^2/groups^2)): the step was chosen so that nothing else stands here",
        ),
        Term(
            "stochastic noise",
            Rational(5, 2) * L * sigma**2 * _LOG / (mu_pl**2 * C * m * T),
            provenance="derived",
            because="5/2 = 2 (5/4): the 2 of the fixed step, and the 5/4 of the rule",
        ),
        Term(
            "partial participation",
            Rational(5, 2)
            * L
            * sigma_within**2
            * (1 - C * groups)
            * _LOG
            / (mu_pl**2 * C * (m - groups) * T),
            provenance="derived",
            because="5/2 = 2 (5/4): the 2 of the fixed step, and the 5/4 of the rule",
        ),
        Term(
            "cyclic order",
            Rational(75, 16) * L**2 * (groups - 1) ** 2 * sigma_between**2 * _LOG**2 / (mu_pl**3 * T**2),
            provenance="derived",
            because="75/16 = 3 (5/4) (5/4): the 3 of the fixed step, and the 5/4 of the rule, squared",
        ),
    ),
    reductions=(
        Reduction(
            to="cyclic_pl_gd_rate",
            when={sigma: 0},
            factors={
                "initial gap": 1 / c_1,
                "partial participation": 5 / (2 * c_3 * groups),
                "cyclic order": Rational(75, 16) / c_2,
            },
            because="the source's rate with its constants named; its third term is larger by the number of "
            "groups",
        ),
        Reduction(
            to="cyclic_pl_gd_rate",
            when={sigma: 0},
            factors={
                "initial gap": 1 / c_1,
                "partial participation": 5 / (2 * c_3),
                "cyclic order": Rational(75, 16) / c_2,
            },
            holds=False,
            because="the number of groups in the source's third term is not needed, and not here",
        ),
    ),
    limits=(
        Limit(when={groups: 1}, removes=("cyclic order",)),
        Limit(when={C: 1 / groups}, removes=("partial participation",)),
        Limit(when={sigma: 0}, removes=("stochastic noise",)),
        Limit(when={sigma_within: 0}, removes=("partial participation",)),
        Limit(when={sigma_between: 0}, removes=("cyclic order",)),
    ),
    remarks=(
        "The step is eta = 5 log(m T^2/groups^2)/(4 mu_pl T).",
        "T is a whole number of cycles, and the loss is that at the end of the last one.",
        "The first term is exactly the source's, groups^2 gap/(m T^2).",
        "With whole groups and exact gradients the bound falls as 1/T^2 up to logarithms; uniform sampling "
        "has 1/T.",
    ),
    source=replace(
        FIXED_THEOREM.source,
        note="The source states an order. The constants are those of cyclic_pl at the step above.",
    ),
    prose=__doc__,
)
