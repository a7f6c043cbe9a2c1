r"""FedAvg on smooth convex losses with sampled clients: the rate of the SCAFFOLD paper.

The form of the non-convex rate, for the loss gap: noise and sampling fall as one over the root of the rounds,
drift as $T^(-2/3)$ with neither clients nor local steps in the denominator, and the initial squared distance
as $1/T$.

Proof. None here: the rate is known up to constants. For a bound with constants see fedavg_convex_partial.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial_rate import THEOREM as BASE

THEOREM = variant(
    BASE,
    "fedavg_convex_partial_rate",
    title="FedAvg, convex, partial participation, published rate",
    bounds=MEAN_LOSS_GAP,
    assumes=tuple(CONVEX if a is BOUNDED_BELOW else a for a in BASE.assumptions),
    terms=(
        recalled(
            "initial gap", c_1 * beta**2 * L * distance**2 / T, "the largest step allowed falls with beta^2"
        ),
        recalled(
            "stochastic noise",
            c_2 * sigma * distance * sqrt(1 + C * m / eta_s**2) / sqrt(C * m * tau * T),
            "averaged over C m clients and tau steps; the 1 + C m/eta_s^2 is noise that became drift",
        ),
        recalled(
            "partial participation",
            c_3 * kappa * distance * sqrt((1 - C) / (C * m * T)),
            "the sampled clients deviate by kappa, once a round",
        ),
        recalled(
            "client drift",
            c_4 * distance ** Rational(4, 3) * (L * kappa**2) ** Rational(1, 3) / (T + 1) ** Rational(2, 3),
            "the best step against a drift of second order in it",
        ),
    ),
    limits=(keeps({tau: 1}, "client drift", because="the rate keeps the drift at one local step"),),
    source=KARIMIREDDY_2020.at(
        "Theorem I, convex",
        note="Recalled; its units are right.",
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
            "D": distance,
        },
    ),
    prose=__doc__,
)
