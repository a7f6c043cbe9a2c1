r"""FedAvg on strongly convex losses with sampled clients: the rate of the SCAFFOLD paper.

The initial gap falls geometrically, at a rate that falls with the condition number and with $beta^2$. Noise
and sampling fall as $1/T$, averaged over the $C m$ sampled clients, and the drift as $1/T^2$ with neither
clients nor local steps in the denominator. Logarithms of $T$ are left out.

Proof. None here: the rate is known up to constants and logarithms. For a bound with constants see
fedavg_strongly_convex_partial.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_convex_partial_rate import THEOREM as CONVEX_RATE

THEOREM = variant(
    CONVEX_RATE,
    "fedavg_strongly_convex_partial_rate",
    title="FedAvg, strongly convex, partial participation, published rate",
    bounds=WEIGHTED_ITERATE_LOSS_GAP,
    assumes=tuple(STRONGLY_CONVEX if a is CONVEX else a for a in CONVEX_RATE.assumptions),
    requires=(*CONVEX_RATE.requires, at_most(mu, L)),
    steps=(at_least(T, 8 * (1 + beta**2) * L / mu),),
    terms=(
        recalled(
            "initial gap",
            c_1 * mu * distance**2 * exp(-mu * T / (16 * (1 + beta**2) * L)),
            "the contraction at the largest step allowed, whose 16 (1 + beta^2) the source gives",
        ),
        recalled(
            "stochastic noise",
            c_2 * sigma**2 * (1 + C * m / eta_s**2) / (mu * C * m * tau * T),
            "averaged over C m clients and tau steps; the 1 + C m/eta_s^2 is noise that became drift",
        ),
        recalled(
            "partial participation",
            c_3 * (1 - C) * kappa**2 / (mu * C * m * T),
            "the sampled clients deviate by kappa, once a round",
        ),
        recalled(
            "client drift",
            c_4 * L * kappa**2 / (mu * T) ** 2,
            "the best step against a drift of second order in it",
        ),
    ),
    remarks=(
        "Only the scaling is meaningful; the constants are unknown, and logarithms of T are left out.",
        "The iterates are weighted by (1 - mu eta_s eta tau/2)^(1 - t), so that the last ones have the "
        "largest weights.",
        "The step is at most 1/(8 (1 + beta^2) L tau eta_s).",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I, strongly convex",
        note="Recalled; its units are right.",
        letters=CONVEX_RATE.source.renamed,
    ),
    prose=__doc__,
)
