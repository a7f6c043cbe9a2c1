r"""FedAvg on smooth non-convex losses, partial participation, at the two step sizes of the three-term rate.

The client step size is small, $eta = 1/(sqrt(T) tau L)$, and the server step size compensates, $eta_s =
sqrt(tau C m)$. The product of the two balances initial gap and noise, while the drifts depend on $eta$ alone
and fall as $1/T$. The participation term falls as $sqrt(tau/(C m T))$, grows with $tau$, and is the slowest
of all terms unless $C = 1$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM as BASE

RULES = {eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)}

THEOREM = tuned(
    BASE,
    RULES,
    "fedavg_nonconvex_partial_tuned",
    title="FedAvg, non-convex, partial participation, tuned step sizes",
    becomes=(
        to("fedavg_nonconvex_partial", RULES, because="it is that theorem at these step sizes"),
        to(
            "fedavg_nonconvex_tuned",
            {C: 1},
            factors={"noise drift": 4 / (3 * tau * m), "client drift": 8 / (3 * tau * m)},
            because="with full participation the initial gap and the noise agree, and two step sizes leave a "
            "drift that is smaller by a factor of the order tau m",
        ),
        not_to("fedavg_nonconvex_tuned", {C: 1}, because="one step size cannot remove the drift"),
    ),
    remarks=(
        "The participation term is 12 q sigma_g^2 sqrt(tau/(C m T)), with q = (1 - C) m/(m - 1) <= 1.",
        "At a fixed number of local steps tau T the noise term does not depend on how they are divided into "
        "rounds, while the participation term is smallest for the largest number of rounds.",
        "The source does not state that T must be at least 64 and 576 C m tau; at C m = 10 and tau = 10 that "
        "is 57600 rounds.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Corollary 1",
        note="Stated there as O(.); the constants follow from those of Theorem 1 in its supplement.",
    ),
    prose=__doc__,
)
