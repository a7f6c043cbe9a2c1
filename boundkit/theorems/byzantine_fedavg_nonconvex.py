r"""FedAvg with Byzantine clients and a robust server, smooth non-convex losses, full gradients.

Local steps add the client drift, which hides an attack, too: it counts with $(1 + sqrt(robustness))^2$.

Proof. Let $d_i = grad F_i(x) - e_i$ be the mean gradient of client $i$ along its walk, $b = eta L (tau -
1)$, $u = ||grad F(x)||^2$ and $k = sqrt(robustness)$.

(i) A walk of $eta L tau <= 1/8$ has $||e_i|| <= (8/15) b ||grad F_i(x)||$, so that the mean of $||e_i||^2$
is at most $(64/225) b^2 (u + sigma_g^2)$.

(ii) The aggregate $R$ of the $d_i$ has $||R - grad F(x)|| <= k sigma_g + (1 + k) (8/15) b sqrt(u +
sigma_g^2)$. Its square is at most $(31/25) k^2 sigma_g^2 + (31/6) (64/225) (1 + k)^2 b^2 (u + sigma_g^2)$,
and the factor of $u$ is below 0.0919 for $(1 + k) b <= 1/4$.

(iii) The descent of byzantine_gd_nonconvex, with $s = eta_s eta tau$ in place of $eta$, keeps 0.9081 of
$u$. Divide: $2/0.9081 <= 9/4$, $1.24/0.9081 <= 11/8$, $(31/6)(64/225)/0.9081 <= 13/8$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.byzantine_gd_nonconvex import THEOREM as ONE_STEP

_round = eta_s * eta * tau

THEOREM = variant(
    ONE_STEP,
    "byzantine_fedavg_nonconvex",
    title="Byzantine clients, FedAvg, non-convex",
    assumes=(
        *NONCONVEX, NO_NOISE, BOUNDED_DISSIMILARITY, ROBUST_AGGREGATION, EQUAL_WEIGHTS, FULL_PARTICIPATION,
        COMMON_STEPS,
    ),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most((1 + sqrt(robustness)) * eta * L * (tau - 1), Rational(1, 4)),
        at_most(_round, 1 / L),
    ),
    terms=(
        derived("initial gap", Rational(9, 4) * gap / (_round * T), "4/9 of the squared gradient survives"),
        derived(
            "objective inconsistency",
            Rational(11, 8) * robustness * sigma_g**2,
            "the squared error of the aggregate without drift",
            label="Byzantine clients",
        ),
        derived(
            "client drift",
            Rational(13, 8) * (1 + sqrt(robustness)) ** 2 * L**2 * eta**2 * (tau - 1) ** 2 * sigma_g**2,
            "the drift of the mean, and that of the clients of which the aggregate is taken",
        ),
    ),
    becomes=(
        to(
            "byzantine_gd_nonconvex",
            {tau: 1, eta_s: 1},
            factors={"initial gap": Rational(9, 8), "Byzantine clients": Rational(11, 8)},
            because="the proof keeps part of the squared gradient for the drift",
        ),
    ),
    remarks=("The number m is that of the honest clients.",),
    prose=__doc__,
)  # fmt: skip
