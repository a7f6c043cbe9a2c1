r"""FedVARP on smooth non-convex losses with two step sizes chosen by the number of rounds.

A small step at the clients and a large one at the server: eta = 1/(sqrt(T) tau L), eta_s = sqrt(tau C m).
The start and the noise then fall as 1/sqrt(C m tau T), so that clients and local steps speed it up alike,
and everything else falls as 1/T. Under the same steps FedAvg keeps a term sqrt(tau/(C m T)).

Proof. Put the steps into fedvarp_nonconvex (or into fedvarp_nonconvex_sharp, whose constants are smaller
and whose proof is complete): eta_s eta tau L = sqrt(C m tau/T) and eta L tau = 1/sqrt(T). The conditions on
the steps become conditions on T, each by squaring.
"""

from dataclasses import replace

from sympy import Rational, sqrt

from boundkit.algebra import Limit, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import (
    C,
    L,
    T,
    eta,
    eta_s,
    gap,
    gradients_start,
    m,
    sigma,
    sigma_g,
    tau,
    update_error,
)
from boundkit.theorems.fedvarp_nonconvex import THEOREM as PAPER

_STEP = sqrt(C * m * tau / T)

THEOREM = Theorem(
    name="fedvarp_nonconvex_tuned",
    algorithm="fedvarp",
    claim=PAPER.claim,
    assumptions=PAPER.assumptions,
    step_size=(
        at_least(T, 100),
        at_least(T, 64 * tau / C**2),
        at_least(T, Rational(2304, 25) * tau / (C * m)),
        at_least(T, 16 * C * m * tau),
    ),
    rules={eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)},
    terms=(
        Term(
            "initial gap",
            4 * L * gap / sqrt(C * m * tau * T),
            provenance="derived",
            because="4 by fedvarp_nonconvex, at eta_s eta tau L = sqrt(C m tau/T)",
        ),
        Term(
            "stochastic noise",
            40 * sigma**2 / sqrt(C * m * tau * T),
            provenance="derived",
            because="40 by fedvarp_nonconvex; 28 would do, by fedvarp_nonconvex_sharp",
        ),
        Term(
            "noise drift",
            24 * (tau - 1) * sigma**2 / (tau**2 * T),
            provenance="derived",
            because="24 by fedvarp_nonconvex, at eta L tau = 1/sqrt(T)",
        ),
        Term(
            "client drift",
            96 * (tau - 1) * sigma_g**2 / (tau * T),
            provenance="derived",
            because="96 by fedvarp_nonconvex, at eta L tau = 1/sqrt(T)",
        ),
        Term(
            "start-up",
            8 * _STEP * update_error**2 / T,
            provenance="derived",
            because="8 by fedvarp_nonconvex, at eta_s eta tau L = sqrt(C m tau/T)",
            label="start-up of the direction",
        ),
        Term(
            "start-up",
            32 * _STEP * (1 - C) / (C**2 * m) * gradients_start**2 / T,
            provenance="derived",
            because="32 by fedvarp_nonconvex, at eta_s eta tau L = sqrt(C m tau/T)",
            label="start-up of the memory",
        ),
    ),
    limits=(
        Limit(when={C: 1}, removes=("start-up of the memory",)),
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={sigma_g: 0}, removes=("client drift",)),
    ),
    remarks=(
        "T >= 64 tau/C^2 is a warm-up that the rate does not show: with one client in a hundred it is "
        "640000 tau rounds.",
        "The start-up falls as T^(-3/2), but its factor 1/C^2 is large where few clients come.",
    ),
    errata=("The paper's corollary gives the rate as O(.) and none of the conditions on T.",),
    source=replace(
        PAPER.source,
        where="corollary of Theorem 2",
        note="The rate is stated as O(.); the constants follow by putting the steps in.",
    ),
    prose=__doc__,
)
