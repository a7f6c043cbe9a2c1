"""FedAWE on smooth non-convex losses with step sizes that depend on the number of rounds.

With $eta = 1/(sqrt(T) tau L)$ and $eta_s = sqrt(tau availability m)$ initial gap and noise fall as
$1/sqrt(tau m T)$: a linear speed-up in clients and local steps despite intermittent availability.
Unavailability costs a power of $1/availability$, and a term that grows with $tau m$ and falls as $1/T$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedawe_nonconvex import THEOREM as BASE

THEOREM = tuned(
    BASE,
    {eta: 1 / (sqrt(T) * tau * L), eta_s: sqrt(tau * availability * m)},
    "fedawe_nonconvex_tuned",
    title="FedAWE, gradient at the mean model, tuned step sizes",
    remarks=(
        "Where every client is available with probability k/m, k clients in the mean, the rate is 1/sqrt(tau "
        "k T).",
        "The last two terms grow with tau m; they are below the others once T is of the order (tau m)^3.",
        "It rests on fedawe_nonconvex, which is machine-checked.",
        *BASE.remarks[:2],
    ),
    source=XIANG_2024.at(
        "Corollary 1",
        note="The rate is stated up to a constant; the constants follow by putting the step sizes in.",
    ),
    prose=__doc__,
)
