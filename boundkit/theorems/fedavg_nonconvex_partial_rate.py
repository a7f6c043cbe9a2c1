r"""FedAvg's rate on smooth non-convex losses with sampling, as the SCAFFOLD paper has it.

What is left after the best step has been put in. Noise and sampling fall as one over the root of the
rounds, shared by the C m clients that come; more local steps help against noise and not against sampling.
Drift falls faster, as T to the -2/3, but neither more clients nor more local steps touch it: that is the
paper's case against FedAvg. The start is the last to matter.

Proof. None here: the rate is known up to constants. The step behind it is tuned with the horizon, and
falls with tau eta_s. For a bound with numbers see fedavg_nonconvex_partial.
"""

from sympy import Rational, sqrt

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import (
    C,
    L,
    T,
    beta,
    c_1,
    c_2,
    c_3,
    c_4,
    eta,
    eta_s,
    gap,
    kappa,
    m,
    sigma,
    tau,
)
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    MEAN_SQUARED_GRADIENT,
    PARTIAL_PARTICIPATION,
    SERVER_STEP_AT_LEAST_ONE,
    SMOOTH,
)

_WITH_SERVER = sqrt(1 + C * m / eta_s**2)

THEOREM = Theorem(
    name="fedavg_nonconvex_partial_rate",
    algorithm="fedavg",
    kind="order",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        BETA_KAPPA_DISSIMILARITY,
        EQUAL_WEIGHTS,
        PARTIAL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
    ),
    requires=(at_least(eta_s, 1),),
    terms=(
        Term(
            "initial gap",
            c_1 * beta**2 * L * gap / T,
            provenance="order",
            because="the largest step allowed falls with beta^2",
        ),
        Term(
            "stochastic noise",
            c_2 * sigma * _WITH_SERVER * sqrt(L * gap / (C * m * tau * T)),
            provenance="order",
            because="shared by C m clients and tau steps; the 1 + C m/eta_s^2 is noise that became drift",
        ),
        Term(
            "partial participation",
            c_3 * kappa * sqrt((1 - C) * L * gap / (C * m * T)),
            provenance="order",
            because="the clients that come scatter by kappa, once a round",
        ),
        Term(
            "client drift",
            c_4 * (L * gap * kappa / (T + 1)) ** Rational(2, 3),
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
        "Only the scaling means anything; the constants are open.",
        "The root of a sum is split into the sum of roots, which costs a factor up to sqrt(2).",
        "The step is at most 1/(8 (1 + beta^2) L tau eta_s).",
    ),
    errata=(
        "As recalled, the noise has L sqrt(gap) and the drift gap^(2/3) (L kappa^2)^(1/3); neither has the "
        "unit of a squared gradient. Here they are sqrt(L gap) and (L gap kappa)^(2/3); the slip may be "
        "that of memory.",
    ),
    source=Source(
        authors=("Karimireddy", "Kale", "Mohri", "Reddi", "Stich", "Suresh"),
        year=2020,
        title="SCAFFOLD: Stochastic Controlled Averaging for Federated Learning",
        venue="ICML 2020",
        arxiv="1910.06378",
        where="Theorem I, non-convex",
        note="Recalled, with powers corrected by their units.",
        renamed={
            "N": m,
            "S": C * m,
            "K": tau,
            "R": T,
            "eta_l": eta,
            "eta_g": eta_s,
            "beta": L,
            "G": kappa,
            "B": beta,
            "F": gap,
        },
    ),
    prose=__doc__,
)
