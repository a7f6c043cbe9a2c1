r"""FedAvg's rate on strongly convex losses with sampling, as the SCAFFOLD paper has it.

The start is forgotten geometrically, at a pace that falls with the condition number and with beta^2. Noise
and sampling fall as 1/T, shared by the C m clients that come, and the drift as 1/T^2 with neither clients
nor local steps beside it. Logarithms of T are left out.

Proof. None here: the rate is known up to constants and logarithms. For a bound with numbers see
fedavg_strongly_convex_partial.
"""

from dataclasses import replace

from sympy import exp

from boundkit.algebra import Limit, Term
from boundkit.algebra.condition import at_least, at_most
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
    mu,
    sigma,
    tau,
)
from boundkit.algebra.vocabulary import CONVEX, STRONGLY_CONVEX, WEIGHTED_ITERATE_LOSS_GAP
from boundkit.theorems.fedavg_convex_partial_rate import THEOREM as CONVEX_RATE

THEOREM = replace(
    CONVEX_RATE,
    name="fedavg_strongly_convex_partial_rate",
    claim=WEIGHTED_ITERATE_LOSS_GAP,
    assumptions=tuple(STRONGLY_CONVEX if a is CONVEX else a for a in CONVEX_RATE.assumptions),
    requires=(*CONVEX_RATE.requires, at_most(mu, L)),
    step_size=(at_least(T, 8 * (1 + beta**2) * L / mu),),
    terms=(
        Term(
            "initial gap",
            c_1 * mu * distance**2 * exp(-mu * T / (16 * (1 + beta**2) * L)),
            provenance="order",
            because="the contraction at the largest step allowed, whose 16 (1 + beta^2) the source gives",
        ),
        Term(
            "stochastic noise",
            c_2 * sigma**2 * (1 + C * m / eta_s**2) / (mu * C * m * tau * T),
            provenance="order",
            because="shared by C m clients and tau steps; the 1 + C m/eta_s^2 is noise that became drift",
        ),
        Term(
            "partial participation",
            c_3 * (1 - C) * kappa**2 / (mu * C * m * T),
            provenance="order",
            because="the clients that come scatter by kappa, once a round",
        ),
        Term(
            "client drift",
            c_4 * L * kappa**2 / (mu * T) ** 2,
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
    remarks=(
        "Only the scaling means anything; the constants are open, and so are logarithms of T.",
        "The iterates are weighted by (1 - mu eta_s eta tau/2)^(1 - t), so that late ones count most.",
        "The step is at most 1/(8 (1 + beta^2) L tau eta_s).",
    ),
    source=replace(CONVEX_RATE.source, where="Theorem I, strongly convex"),
    prose=__doc__,
)
