r"""FedAvg that divides by all clients, present or not: the gradient of what it minimises.

Client i comes with chance q_i, and who is away counts as having sent nothing. The method minimises the
surrogate that weighs client i by q_i, and it does so slowly: a round moves by the mean chance, pull, times
the step. Absence costs no more noise than full participation has, because a missing client's noise is
missing too.

Proof. fedau_nonconvex with omega_i = 1. There sum_i w_i^2/q_i = 1/(m pull), so that the noise is 4 eta_s
eta L sigma^2/m, and w_i (1 - q_i)/q_i = (1 - q_i)/(m pull) is at most (1 - availability)/(m pull).
"""

from dataclasses import replace

from sympy import Rational

from boundkit.algebra import Limit, Reduction, Term, Theorem
from boundkit.algebra.client_sums import ClientMax, ClientSum
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import (
    L,
    T,
    availability,
    eta,
    eta_s,
    gap,
    m,
    pull,
    q_i,
    sigma,
    sigma_g,
    tau,
)
from boundkit.algebra.vocabulary import AVERAGE_OVER_ALL, FIXED_WEIGHTS
from boundkit.theorems.fedau_nonconvex import THEOREM as WEIGHTED

_STEP = eta_s * eta * tau * pull

THEOREM = Theorem(
    name="fedavg_nonconvex_all",
    algorithm="fedavg",
    costs="fedavg_all",
    claim=WEIGHTED.claim,
    assumptions=tuple(AVERAGE_OVER_ALL if a == FIXED_WEIGHTS else a for a in WEIGHTED.assumptions),
    step_size=(
        at_most(eta * L * tau, Rational(1, 8)),
        at_most(_STEP * L, Rational(1, 2)),
        at_most(16 * (1 - availability) * eta_s * eta * tau * L / m, 1),
    ),
    terms=(
        Term(
            "initial gap",
            4 * gap / (_STEP * T),
            provenance="derived",
            because="4 by fedau_nonconvex; a round moves by pull times the step",
        ),
        Term(
            "stochastic noise",
            4 * eta_s * eta * L * sigma**2 / m,
            provenance="derived",
            because="4 by fedau_nonconvex, where pull times share_noise is 1/m",
        ),
        Term(
            "noise drift",
            5 * eta**2 * L**2 * (tau - 1) * sigma**2,
            provenance="derived",
            because="5 by fedau_nonconvex",
        ),
        Term(
            "client drift",
            20 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            provenance="derived",
            because="20 by fedau_nonconvex",
        ),
        Term(
            "partial participation",
            8 * (1 - availability) * eta_s * eta * tau * L * sigma_g**2 / m,
            provenance="derived",
            because="8 by fedau_nonconvex, where pull times absence is (1 - availability)/m",
        ),
    ),
    definitions={pull: ClientSum(q_i) / m, availability: 1 - ClientMax(1 - q_i)},
    reductions=(
        Reduction(
            to="fedavg_nonconvex",
            when={pull: 1, availability: 1, eta_s: 1},
            factors={"noise drift": Rational(5, 6), "client drift": Rational(5, 3)},
            because="everybody comes; the drifts are counted another way",
        ),
    ),
    limits=(
        Limit(when={availability: 1}, removes=("partial participation",)),
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={sigma_g: 0}, removes=("client drift", "partial participation")),
    ),
    remarks=(
        "The gap is that of the surrogate sum_i q_i F_i/sum_i q_i, and sigma_g its weighted dissimilarity.",
        "It says nothing of the true objective unless all q_i are alike: see fedavg_all_bias.",
        "Dividing by the clients that came instead is faster by about 1/pull and minimises another surrogate "
        "again: see fedavg_active_bias.",
    ),
    source=replace(
        WEIGHTED.source,
        where="Theorem 1",
        note="The case omega_n = 1; the constants stand on the proof of fedau_nonconvex.",
    ),
    prose=__doc__,
)
