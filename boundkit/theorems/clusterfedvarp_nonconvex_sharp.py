r"""ClusterFedVARP on smooth non-convex losses: constants below the paper's, with the same proof.

The forces and the steps are those of clusterfedvarp_nonconvex. The error of the first direction needs no
term of its own: the memory's start-up covers it.

Proof. Steps (i) to (iii) of clusterfedvarp_nonconvex, from the first round on. Of the squared gradient
1/2 - 2 (8/100) > 1/3 is left, so that everything is multiplied by 3 instead of 4: the noise's 21, the
neighbours' 21, the walk's 2, and the memory's weight 21/5.
"""

from sympy import Rational

from boundkit.algebra import Limit, Reduction, Term, Theorem
from boundkit.algebra.notation import (
    C,
    L,
    T,
    eta,
    eta_s,
    gap,
    gradients_start,
    m,
    missed,
    sigma,
    sigma_c,
    sigma_g,
    tau,
)
from boundkit.algebra.vocabulary import BOUNDED_DISSIMILARITY, CLIENTWISE_DISSIMILARITY
from boundkit.theorems.clusterfedvarp_nonconvex import THEOREM as PAPER

_Q = (1 - C) / (C * (m - 1))

THEOREM = Theorem(
    name="clusterfedvarp_nonconvex_sharp",
    algorithm="clusterfedvarp",
    claim=PAPER.claim,
    assumptions=tuple(
        BOUNDED_DISSIMILARITY if a == CLIENTWISE_DISSIMILARITY else a for a in PAPER.assumptions
    ),
    requires=PAPER.requires,
    step_size=PAPER.step_size,
    terms=(
        Term(
            "initial gap",
            3 * gap / (eta_s * eta * tau * T),
            provenance="derived",
            because="1/3 of the squared gradient a round survives",
        ),
        Term(
            "stochastic noise",
            63 * eta_s * eta * L * sigma**2 / (C * m),
            provenance="derived",
            because="63 = 3 (21): 2 (7/10) in a direction and 3 (3/2) (21/5) in the memory are below 21",
        ),
        Term(
            "noise drift",
            12 * eta**2 * L**2 * (tau - 1) * sigma**2,
            provenance="derived",
            because="12 = 3 (2) (2): the walk weighs at most 2 s in the descent, and its noise is 2",
        ),
        Term(
            "partial participation",
            63 * eta_s * eta * tau * L * _Q * sigma_c**2,
            provenance="derived",
            because="63 = 3 (21): 3 (7/10) in a direction and 3 (3/2) (21/5) in the memory make 21",
        ),
        Term(
            "client drift",
            48 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            provenance="derived",
            because="48 = 3 (2) (8): as the noise drift, with the walk's 8",
        ),
        Term(
            "start-up",
            13 * eta_s * eta * tau * L / (1 - missed) * _Q * gradients_start**2 / T,
            provenance="derived",
            because="3 times 21/5, rounded up: the weight of the empty memory",
            label="start-up of the memory",
        ),
    ),
    definitions=PAPER.definitions,
    reductions=(
        Reduction(
            to="fedvarp_nonconvex_sharp",
            when={missed: 1 - C, sigma_c: 0},
            factors={"stochastic noise": Rational(9, 4), "start-up of the memory": Rational(13, 10)},
            because="clusters of one client each are missed with chance 1 - C",
        ),
    ),
    limits=(
        Limit(when={C: 1}, removes=("partial participation", "start-up of the memory")),
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={sigma_c: 0}, removes=("partial participation",)),
        Limit(
            when={missed: 0},
            removes=("start-up of the memory",),
            holds=False,
            because="the first round is not counted apart here, and its memory is empty",
        ),
    ),
    remarks=(
        "Where clusters are seldom missed, the start-up of clusterfedvarp_nonconvex is the smaller one.",
    ),
    source=PAPER.source,
    prose=__doc__,
)
