r"""FedAvg at the two step sizes of the three-term rate, partial participation, for $T >= C m tau$ rounds.

The step sizes are those of fedavg_nonconvex_partial_tuned, which needs 576 times as many rounds and has
larger constants.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial_long_steps import THEOREM as BASE

RULES = {eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)}

THEOREM = tuned(
    BASE,
    RULES,
    "fedavg_nonconvex_partial_long_steps_tuned",
    title="FedAvg, non-convex, partial participation, larger tuned step sizes",
    becomes=(
        to("fedavg_nonconvex_partial_long_steps", RULES, because="it is that theorem at these step sizes"),
        to(
            "fedavg_nonconvex_partial_tuned",
            factors={
                "initial gap": Rational(11, 20),
                "stochastic noise": Rational(2, 5),
                "noise drift": Rational(3, 32),
                "partial participation": Rational(2, 15),
                "client drift": Rational(1, 80),
            },
            because="the same step sizes in another theorem",
        ),
    ),
    remarks=(
        "At C m = 10 and tau = 10 it holds after 100 rounds; fedavg_nonconvex_partial_tuned needs 57600.",
        "From 576 C m tau rounds on fedavg_nonconvex_partial_sharp holds too, with smaller constants.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Corollary 1", note="The rate is stated there as O(.); the constants are derived in this catalogue."
    ),
    prose=__doc__,
)
