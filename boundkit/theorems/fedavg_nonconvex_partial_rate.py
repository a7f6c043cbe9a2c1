r"""FedAvg on smooth non-convex losses with sampled clients: the rate of the SCAFFOLD paper.

The bound at the best step size. Noise and sampling fall as one over the root of the rounds, averaged over the
$C m$ sampled clients; more local steps reduce the noise and not the sampling error. The drift falls faster,
as $T^(-2/3)$, but neither more clients nor more local steps reduce it: that is the paper's argument against
FedAvg. The initial gap falls as $1/T$.

Proof. None here: the rate is known up to constants. Its step size is tuned with the horizon, and falls with
$tau eta_s$. For a bound with constants see fedavg_nonconvex_partial.
"""

from boundkit.algebra.authoring import *

_WITH_SERVER = sqrt(1 + C * m / eta_s**2)

THEOREM = order_level(
    "fedavg_nonconvex_partial_rate",
    title="FedAvg, non-convex, partial participation, published rate",
    algorithm="fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BETA_KAPPA_DISSIMILARITY, *SAMPLED_CLIENTS, SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(eta_s, 1),),
    terms=(
        recalled("initial gap", c_1 * beta**2 * L * gap / T, "the largest step allowed falls with beta^2"),
        recalled(
            "stochastic noise",
            c_2 * sigma * _WITH_SERVER * sqrt(L * gap / (C * m * tau * T)),
            "averaged over C m clients and tau steps; the 1 + C m/eta_s^2 is noise that became drift",
        ),
        recalled(
            "partial participation",
            c_3 * kappa * sqrt((1 - C) * L * gap / (C * m * T)),
            "the sampled clients deviate by kappa, once a round",
        ),
        recalled(
            "client drift",
            c_4 * (L * gap * kappa / (T + 1)) ** Rational(2, 3),
            "the best step against a drift of second order in it",
        ),
    ),
    limits=(keeps({tau: 1}, "client drift", because="the rate keeps the drift at one local step"),),
    remarks=(
        "Only the scaling is meaningful; the constants are unknown.",
        "The root of a sum is split into the sum of roots, which costs a factor up to sqrt(2).",
        "The step is at most 1/(8 (1 + beta^2) L tau eta_s).",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I, non-convex",
        note="Recalled, with powers corrected by their units.",
        letters={
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
