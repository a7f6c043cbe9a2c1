r"""FedAvg on smooth non-convex losses, C m clients a round, at the two steps of the three-term rate.

The client's step is small, eta = 1/(sqrt(T) tau L), and the server makes up for it, eta_s = sqrt(tau C m).
So the round still moves as far as the start and the noise like, while the drifts, which feel the client's
step alone, fall as 1/T with nothing beside it. What is left over is the sampling: it falls as
sqrt(tau/(C m T)), grows with tau, and is the slowest term of all unless everybody comes.

Proof. Put both steps into fedavg_nonconvex_partial. Its conditions become T >= 64 and T >= 576 C m tau.
"""

from sympy import sqrt

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import C, L, T, eta, eta_s, gap, m, sigma, sigma_g, tau
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM as ANY_STEPS

THEOREM = Theorem(
    name="fedavg_nonconvex_partial_tuned",
    algorithm="fedavg",
    claim=ANY_STEPS.claim,
    assumptions=ANY_STEPS.assumptions,
    requires=ANY_STEPS.requires,
    step_size=(at_least(T, 64), at_least(T, 576 * C * m * tau)),
    rules={eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)},
    terms=(
        Term(
            "initial gap",
            4 * L * gap / sqrt(C * m * tau * T),
            provenance="derived",
            because="4 gap/(eta_s eta tau T) at the rule",
        ),
        Term(
            "stochastic noise",
            4 * sigma**2 / sqrt(C * m * tau * T),
            provenance="derived",
            because="4 eta_s eta L sigma^2/(C m) at the rule",
        ),
        Term(
            "noise drift",
            8 * (tau - 1) * sigma**2 / (tau**2 * T),
            provenance="derived",
            because="8 (eta L)^2 is 8/(tau^2 T) at the rule",
        ),
        Term(
            "partial participation",
            12 * sqrt(tau * C * m / T) * (1 - C) / (C * (m - 1)) * sigma_g**2,
            provenance="derived",
            because="12 eta_s eta tau L is 12 sqrt(tau C m/T) at the rule",
        ),
        Term(
            "client drift",
            32 * (tau - 1) * sigma_g**2 / (tau * T),
            provenance="derived",
            because="32 (eta L)^2 is 32/(tau^2 T) at the rule, and one tau of the drift's two cancels",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_nonconvex_partial",
            when={eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)},
            because="it is that theorem at these steps",
        ),
        Reduction(
            to="fedavg_nonconvex_tuned",
            when={C: 1},
            factors={"noise drift": 4 / (3 * tau * m), "client drift": 8 / (3 * tau * m)},
            because="with everybody there both rules agree on start and noise, and two steps leave a drift "
            "that is smaller by a factor of the order tau m",
        ),
        Reduction(
            to="fedavg_nonconvex_tuned",
            when={C: 1},
            holds=False,
            because="one step size cannot buy the drift off",
        ),
    ),
    limits=(
        Limit(when={C: 1}, removes=("partial participation",)),
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={sigma_g: 0}, removes=("partial participation", "client drift")),
    ),
    remarks=(
        "The partial participation is 12 q sigma_g^2 sqrt(tau/(C m T)), with q = (1 - C) m/(m - 1) <= 1.",
        "At a fixed number of local steps tau T the noise does not care how they are divided into rounds, "
        "while the sampling wants as many rounds as possible.",
        "The source does not state that T must be at least 64 and 576 C m tau; at C m = 10 and tau = 10 "
        "that is 57600 rounds.",
    ),
    errata=(
        "A talk prints the three terms under a bound with one step size; that bound gives a client drift of "
        "32 C m (tau - 1) sigma_g^2/T, not of the order 1/T.",
    ),
    source=Source(
        authors=ANY_STEPS.source.authors,
        year=ANY_STEPS.source.year,
        title=ANY_STEPS.source.title,
        venue=ANY_STEPS.source.venue,
        arxiv=ANY_STEPS.source.arxiv,
        where="Corollary 1",
        note="Stated there as O(.); the constants follow from those of Theorem 1 in its supplement.",
        renamed={"N": m, "M": C * m, "eta_c": eta, "f(w_0) - f_inf": gap},
    ),
    prose=__doc__,
)
