r"""FedAvg's rate on smooth convex losses with sampling, as the SCAFFOLD paper has it.

The same shape as without convexity, measured on the loss: noise and sampling fall as one over the root of
the rounds, drift as T to the -2/3 with neither clients nor local steps beside it, and the start, which
counts by its distance, as 1/T.

Proof. None here: the rate is known up to constants. For a bound with numbers see fedavg_convex_partial.
"""

from dataclasses import replace

from sympy import Rational, sqrt

from boundkit.algebra import Limit, Term
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    c_1,
    c_2,
    c_3,
    c_4,
    distance,
    eta_s,
    kappa,
    m,
    sigma,
    tau,
)
from boundkit.algebra.vocabulary import BOUNDED_BELOW, CONVEX, MEAN_LOSS_GAP
from boundkit.theorems.fedavg_nonconvex_partial_rate import THEOREM as NONCONVEX

THEOREM = replace(
    NONCONVEX,
    name="fedavg_convex_partial_rate",
    claim=MEAN_LOSS_GAP,
    assumptions=tuple(CONVEX if a is BOUNDED_BELOW else a for a in NONCONVEX.assumptions),
    terms=(
        Term(
            "initial gap",
            c_1 * beta**2 * L * distance**2 / T,
            provenance="order",
            because="the largest step allowed falls with beta^2",
        ),
        Term(
            "stochastic noise",
            c_2 * sigma * distance * sqrt(1 + C * m / eta_s**2) / sqrt(C * m * tau * T),
            provenance="order",
            because="shared by C m clients and tau steps; the 1 + C m/eta_s^2 is noise that became drift",
        ),
        Term(
            "partial participation",
            c_3 * kappa * distance * sqrt((1 - C) / (C * m * T)),
            provenance="order",
            because="the clients that come scatter by kappa, once a round",
        ),
        Term(
            "client drift",
            c_4 * distance ** Rational(4, 3) * (L * kappa**2) ** Rational(1, 3) / (T + 1) ** Rational(2, 3),
            provenance="order",
            because="the best step against a drift of second order in it",
        ),
    ),
    limits=(
        Limit(when={C: 1}, removes=("partial participation",)),
        Limit(when={sigma: 0}, removes=("stochastic noise",)),
        Limit(when={kappa: 0}, removes=("partial participation", "client drift")),
        Limit(
            when={tau: 1},
            removes=("client drift",),
            holds=False,
            because="the rate does not see that one step cannot drift",
        ),
    ),
    errata=(),
    source=replace(
        NONCONVEX.source,
        where="Theorem I, convex",
        note="Recalled; its units are right.",
        renamed={k: v for k, v in NONCONVEX.source.renamed.items() if k != "F"} | {"D": distance},
    ),
    prose=__doc__,
)
