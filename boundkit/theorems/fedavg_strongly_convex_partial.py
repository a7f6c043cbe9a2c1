r"""FedAvg on strongly convex losses, C m clients a round: the squared distance at the end.

The start is forgotten geometrically. What remains is a ball, whose radius the noise, the sampling and
the drifts set, each blown up by 2/mu: a flat loss lets the iterate wander far for a small error.

Proof. As for convex losses (fedavg_convex_partial), with s = eta_s eta tau, but with the three points
<grad F_i(y), x - x*> >= F_i(x) - F_i(x*) + (mu/4) ||x - x*||^2 - L ||x - y||^2, so a round contracts by
1 - mu s/2 and the walk costs (2 + 1/4) s L. The loss gap keeps the factor 2 - 1/2 - 9/16 > 0 and is
dropped. The geometric sum is at most 2/(mu s).
"""

from sympy import Rational

from boundkit.algebra import Limit, Reduction, Term, Theorem
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import C, L, T, distance, eta, eta_s, m, mu, sigma, sigma_g, tau
from boundkit.algebra.vocabulary import (
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    LAST_SQUARED_DISTANCE,
    PARTIAL_PARTICIPATION,
    SMOOTH,
    STRONGLY_CONVEX,
)
from boundkit.theorems.fedavg_convex_partial import THEOREM as CONVEX_THEOREM

THEOREM = Theorem(
    name="fedavg_strongly_convex_partial",
    algorithm="fedavg",
    claim=LAST_SQUARED_DISTANCE,
    assumptions=(
        SMOOTH,
        STRONGLY_CONVEX,
        BOUNDED_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        PARTIAL_PARTICIPATION,
        COMMON_STEPS,
    ),
    requires=(at_least(m, 2), at_most(mu, L)),
    step_size=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_s * eta, 1 / (24 * L * tau))),
    terms=(
        Term(
            "initial gap",
            (1 - mu * eta_s * eta * tau / 2) ** T * distance**2,
            provenance="derived",
            because="a round contracts by 1 - mu s/2: 2 s times the mu/4 that the three points give",
        ),
        Term(
            "stochastic noise",
            4 * eta_s * eta * sigma**2 / (mu * C * m),
            provenance="derived",
            because="4 = 2 times 2: the geometric sum, and noise split off the mean",
        ),
        Term(
            "noise drift",
            9 * L * eta**2 * (tau - 1) * sigma**2 / mu,
            provenance="derived",
            because="9 = 2 (2 + 1/4) 2: the geometric sum, the walk's cost, its noise",
        ),
        Term(
            "partial participation",
            12 * eta_s * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2 / mu,
            provenance="derived",
            because="12 = 2 times 6",
        ),
        Term(
            "client drift",
            36 * L * eta**2 * tau * (tau - 1) * sigma_g**2 / mu,
            provenance="derived",
            because="36 = 2 (2 + 1/4) 8: as the noise drift, with the walk's 8",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_convex_partial",
            when={T: 1},
            factors={
                "initial gap": eta_s * eta * tau,
                "stochastic noise": 2 / mu,
                "noise drift": Rational(18, 5) / mu,
                "partial participation": 2 / mu,
                "client drift": Rational(18, 5) / mu,
            },
            holds=False,
            because="the error terms are the convex ones over mu, up to constants, but the start enters "
            "by contraction and leaves mu s/2 of itself over: mu -> 0 does not give the convex theorem",
        ),
    ),
    limits=(
        Limit(when={C: 1}, removes=("partial participation",)),
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={sigma_g: 0}, removes=("partial participation", "client drift")),
    ),
    remarks=("Tight in the short run: ratios close to 1 occur where few rounds meet a small mu/L.",),
    source=CONVEX_THEOREM.source,
    prose=__doc__,
)
