r"""FedVARP on smooth non-convex losses with two step sizes that depend on the number of rounds.

A small step size at the clients and a large one at the server: $eta = 1/(sqrt(T) tau L)$, $eta_s = sqrt(tau C
m)$. The initial gap and the noise then fall as $1/sqrt(C m tau T)$, a linear speed-up in clients and local
steps, and all other terms fall as $1/T$. At the same step sizes FedAvg keeps a term $sqrt(tau/(C m T))$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedvarp_nonconvex import THEOREM as BASE

THEOREM = tuned(
    BASE,
    {eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * C * m)},
    "fedvarp_nonconvex_tuned",
    title="FedVARP, tuned step sizes",
    because={
        "stochastic noise": "40 by fedvarp_nonconvex; 43/20 by fedvarp_nonconvex_sharp, where C^3 m < 0.49"
    },
    remarks=(
        "T >= 64 tau/C^2 is a number of initial rounds that the rate does not show: with one client in a "
        "hundred it is 640000 tau rounds.",
        "The start-up terms fall as T^(-3/2), but the factor 1/C^2 is large where few clients participate.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "corollary of Theorem 2",
        note="The rate is stated as O(.); the constants follow by putting the step sizes in.",
    ),
    prose=__doc__,
)
