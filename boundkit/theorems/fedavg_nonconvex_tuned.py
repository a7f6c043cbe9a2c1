r"""FedAvg on smooth non-convex losses, all clients, at the step eta = sqrt(m/(tau T))/L.

What lecture notes and talks print. The step balances the start against the noise, and both fall as
1/sqrt(m tau T): m clients that take tau steps each are worth m tau. The drifts fall faster, as 1/T, but
they grow with m, because more clients allow a larger step, and with tau. So the linear speed-up holds only
after enough rounds.

Proof. Put eta = sqrt(m/(tau T))/L into fedavg_nonconvex. Its two conditions become T >= 4 m tau and
T >= 12 m (tau - 1).
"""

from sympy import sqrt

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import L, T, eta, gap, m, sigma, sigma_g, tau
from boundkit.theorems.fedavg_nonconvex import THEOREM as ANY_STEP

THEOREM = Theorem(
    name="fedavg_nonconvex_tuned",
    algorithm="fedavg",
    claim=ANY_STEP.claim,
    assumptions=ANY_STEP.assumptions,
    step_size=(at_least(T, 4 * m * tau), at_least(T, 12 * m * (tau - 1))),
    rules={eta: sqrt(m / (tau * T)) / L},
    terms=(
        Term(
            "initial gap",
            4 * L * gap / sqrt(m * tau * T),
            provenance="derived",
            because="4 gap/(eta tau T) at the rule",
        ),
        Term(
            "stochastic noise",
            4 * sigma**2 / sqrt(m * tau * T),
            provenance="derived",
            because="4 eta L sigma^2/m at the rule",
        ),
        Term(
            "noise drift",
            6 * m * (tau - 1) * sigma**2 / (tau * T),
            provenance="derived",
            because="6 (eta L)^2 is 6 m/(tau T) at the rule",
        ),
        Term(
            "client drift",
            12 * m * (tau - 1) * sigma_g**2 / T,
            provenance="derived",
            because="12 (eta L)^2 is 12 m/(tau T) at the rule, and one tau of the drift's two cancels",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_nonconvex",
            when={eta: sqrt(m / (tau * T)) / L},
            because="it is that theorem at this step",
        ),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("noise drift", "client drift")),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
        Limit(when={sigma_g: 0}, removes=("client drift",)),
    ),
    remarks=(
        "T >= 12 m tau is enough for both conditions.",
        "The client drift equals the stochastic noise at T = 9 m^3 tau (tau - 1)^2 (sigma_g/sigma)^4: only "
        "after about m^3 tau^3 rounds do more clients help as the first two terms promise.",
        "Before that more clients at this rule make the bound worse: both drifts are linear in m.",
        "One step size cannot give 1/sqrt(m tau T) + 1/T with neither m nor tau beside the 1/T; "
        "fedavg_nonconvex_partial_tuned has two.",
    ),
    errata=(
        "Lecture notes print (1 + sigma^2)/sqrt(m tau T) + m (sigma^2 + tau sigma_g^2)(tau - 1)/(tau T) for "
        "eta = sqrt(m/(tau T)): a number and a squared gradient are added, because gap and L were set to 1 "
        "and the 1/L of the step was lost.",
        "The same notes read m as the C m clients that are selected, but there is no participation term: it "
        "is the bound of full participation with m clients. With sampling 12 q sigma_g^2 sqrt(tau/(C m T)) "
        "comes on top, with q = (1 - C) m/(m - 1), and it dominates; and 8 and 32 replace 6 and 12.",
        "The notes say that more local work needs fewer rounds; the drift terms, and the measurements that "
        "the notes quote, say so only up to a point.",
    ),
    source=Source(
        authors=ANY_STEP.source.authors,
        year=ANY_STEP.source.year,
        title=ANY_STEP.source.title,
        venue=ANY_STEP.source.venue,
        arxiv=ANY_STEP.source.arxiv,
        where="after Theorem 1, the tuned rate",
        note="Lecture notes on federated learning print it without L and gap; the substitution is above.",
        renamed={"F(x_0) - F_inf": gap, "tau_bar": tau, "K": sigma_g},
    ),
    prose=__doc__,
)
