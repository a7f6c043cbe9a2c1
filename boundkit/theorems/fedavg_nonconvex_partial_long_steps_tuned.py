r"""FedAvg at the two steps of the three-term rate, C m clients a round, from T >= C m tau rounds on.

The rule is that of fedavg_nonconvex_partial_tuned, which needs 576 times as many rounds before it says
anything, and says more than it need.

Proof. Put both steps into fedavg_nonconvex_partial_long_steps. Its conditions become T >= 16 and
T >= C m tau.
"""

from dataclasses import replace

from sympy import Rational, sqrt

from boundkit.algebra import Reduction, Term
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import C, L, T, eta, eta_s, gap, m, sigma, sigma_g, tau
from boundkit.theorems.fedavg_nonconvex_partial_tuned import THEOREM as PAPER

THEOREM = replace(
    PAPER,
    name="fedavg_nonconvex_partial_long_steps_tuned",
    step_size=(at_least(T, 16), at_least(T, C * m * tau)),
    terms=(
        Term(
            "initial gap",
            Rational(7, 3) * L * gap / sqrt(C * m * tau * T),
            provenance="derived",
            because="7/3 gap/(eta_s eta tau T) at the rule",
        ),
        Term(
            "stochastic noise",
            Rational(15, 8) * sigma**2 / sqrt(C * m * tau * T),
            provenance="derived",
            because="15/8 eta_s eta L sigma^2/(C m) at the rule",
        ),
        Term(
            "noise drift",
            (tau - 1) * sigma**2 / (tau**2 * T),
            provenance="derived",
            because="(eta L)^2 is 1/(tau^2 T) at the rule",
        ),
        Term(
            "partial participation",
            Rational(8, 5) * sqrt(tau * C * m / T) * (1 - C) / (C * (m - 1)) * sigma_g**2,
            provenance="derived",
            because="8/5 eta_s eta tau L is 8/5 sqrt(tau C m/T) at the rule",
        ),
        Term(
            "client drift",
            Rational(7, 16) * (tau - 1) * sigma_g**2 / (tau * T),
            provenance="derived",
            because="7/16 (eta L)^2 is 7/16 over tau^2 T at the rule, and one tau of the drift's two cancels",
        ),
    ),
    reductions=(
        Reduction(
            to="fedavg_nonconvex_partial_long_steps",
            when={eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)},
            because="it is that theorem at these steps",
        ),
        Reduction(
            to="fedavg_nonconvex_partial_tuned",
            when={},
            factors={
                "initial gap": Rational(7, 12),
                "stochastic noise": Rational(15, 32),
                "noise drift": Rational(1, 8),
                "partial participation": Rational(2, 15),
                "client drift": Rational(7, 512),
            },
            because="the same rule, in another theorem",
        ),
    ),
    remarks=(
        "At C m = 10 and tau = 10 it holds after 100 rounds; fedavg_nonconvex_partial_tuned waits for 57600.",
        "From 576 C m tau rounds on fedavg_nonconvex_partial_sharp holds too, with smaller constants.",
    ),
    errata=(),
    source=replace(
        PAPER.source, note="The rate is stated there as O(.); the constants are those of the house's theorem."
    ),
    prose=__doc__,
)
