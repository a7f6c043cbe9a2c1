r"""FedLin on quadratics: rounds as $(delta_hess/mu)^2$, with the smoothness in the limit of the step only.

With $eta tau = mu/(4 delta_hess^2)$ a round shrinks the distance by $5 mu^2/(32 delta_hess^2)$ of it at
least, where $delta_hess >= mu$.

Proof. Let $P_i = 1 - eta H_i$ and $P = 1 - eta H$, all of norm at most 1, and $D_i = H_i - H$. A round maps
$x - x*$ by the mean of $A_i = 1 - eta sum_{k<tau} P_i^k H = P_i^tau + eta sum_{k<tau} P_i^k D_i$, as $eta
sum_{k<tau} P_i^k H_i = 1 - P_i^tau$.

(i) In $P_i^tau - P^tau$ the part of first order is linear in $D_i$, whose mean is 0, and $tau (tau - 1)/2$
terms of second order have norms of at most $eta^2 ||D_i||^2$. In the mean that is at most $eta^2
delta_hess^2 tau (tau - 1)/2$.

(ii) The mean of $P_i^k D_i$ is that of $(P_i^k - P^k) D_i$, of norm at most $eta k delta_hess^2$; times
$eta$ and summed, the same again. And $||P^tau|| <= (1 - eta mu)^tau$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedlin_second_order",
    title="FedLin, quadratics of heterogeneous Hessians",
    algorithm="fedlin",
    bounds=LAST_DISTANCE,
    assumes=(
        SMOOTH, STRONGLY_CONVEX, QUADRATIC, NO_NOISE, HESSIAN_DISSIMILARITY, WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION, COMMON_STEPS, SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L),),
    steps=(at_most(eta, 1 / L), at_most(eta * tau * delta_hess**2 * (1 + eta * mu * tau), mu)),
    terms=(
        derived(
            "initial gap",
            ((1 - eta * mu) ** tau + eta**2 * delta_hess**2 * tau * (tau - 1)) ** T * distance,
            "the contraction of a round with the mean Hessian, and what heterogeneous Hessians add to it",
        ),
    ),
    remarks=(
        "At tau = 1, or where all Hessians are equal, it is gradient descent with tau T steps.",
        "The proof needs the first condition only; under the second a round shrinks the bound, because (1 - "
        "eta mu)^tau <= 1/(1 + eta mu tau). For larger steps the algorithm still converges: "
        "fedlin_strongly_convex.",
    ),
    source=MITRA_2021.at("the method", note="The statement is derived above."),
    prose=__doc__,
)  # fmt: skip
