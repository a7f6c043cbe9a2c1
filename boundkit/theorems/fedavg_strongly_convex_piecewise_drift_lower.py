r"""FedAvg on strongly convex losses: what client drift alone costs, on one piecewise quadratic client.

Client 1 has little curvature where its local steps start and much where they arrive: there its gradients are
others than at the server's model, while the mean loss is flat between the server's model and the optimum.

Proof. Let the run start at 0. Client 1 has the gradient $-g + mu y + (L - mu) (y - a)_+$, all others $h +
mu y$, with $h$ such that 0 is the fixed point of FedAvg. Put $n = tau - 1$, $b = eta L n$, $q = mu/L$ and
$a = (1 - b/2) eta g n/3$. The gradient of client 1 is at most $-(1 - b q/3) g + L (y - a)_+$, so that with
$s_k = ((1 - b q/3) eta g k - a)_+$ the local models have $(y_k - a)_+ >= s_k - eta L (s_0 + ... + s_(k -
1))$. The mean of that over $k <= n$ is the mean of $s_k (1 - b + b k/n)$, and at least the integral with
$k/n$ from 0 to 1, which is $Z = (1 - b q/3) (1 - x)^2 (1/2 - b (1 - x)/6)$ times $eta g n$, $x = (1 -
b/2)/(3 - b q)$: where $n x$ is whole the mean is larger by $b (1 - x)^2/(6 n)$ at least, and between two
such numbers it is linear in x, while the integral is above its chord by less, as $3 b (b - 1) < n$. As $y_k
>= eta g k - eta^2 L g k (k - 1)/2$, the mean of $y_k$ is at least $eta g n (1/2 - b/6)$. Let $A$ be the
mean of $mu y_k + (L - mu) (y_k - a)_+$. The displacements of a round cancel, $(m - 1) h r = g - A$, with
$r$ the mean of $(1 - eta mu)^k$, $1 - eta mu n/2 <= r <= 1$. So the mean gradient at 0 is $-(g - (g -
A)/r)/m$, and $g - (g - A)/r >= A - g (1 - r) >= (L - mu) z eta g n$, $z = Z - (q/(1 - q)) b/6$. The mean
gradient rises with slope $mu$ up to $a$ and $mu + (L - mu)/m$ beyond. So the optimum is at least $d = (2/9)
(1 - 2 b/5) (L - mu) eta g n/(m mu)$ away if $(L - mu) z eta g n >= m mu d + (L - mu) (d - a)_+$. As $m >= 2
L/(3 mu)$, the right side over $(L - mu) eta g n$ is at most the larger of $(2/9) (1 - 2 b/5)$ and $2/9 -
b/18 - (q/3) (1 - 2 b/5)$, and $z$ is at least both where $b <= 7/4$ and $q <= 1/5$. As the mean gradient at
0 is not positive, $h <= g/(m - 1)$, and the squared dissimilarity $(m - 1) (g + h)^2/m^2$ is at most
$g^2/(m - 1)$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_drift_lower import THEOREM as QUADRATIC_CLIENTS

_SLOPE = (L - mu) * (1 - 2 * eta * L * (tau - 1) / 5)

THEOREM = variant(
    QUADRATIC_CLIENTS,
    "fedavg_strongly_convex_piecewise_drift_lower",
    title="FedAvg, strongly convex, client drift, lower bound on piecewise quadratics",
    assumes=tuple(
        ONE_PIECEWISE_CLIENT if a == ONE_STIFF_CLIENT else a for a in QUADRATIC_CLIENTS.assumptions
    ),
    requires=(at_least(m, 2 * L / (3 * mu)), at_most(mu, L / 5)),
    steps=(at_most(eta, 7 / (4 * L * tau)),),
    terms=(
        derived(
            "client drift",
            4 * (m - 1) * eta**2 * (tau - 1) ** 2 * _SLOPE**2 * sigma_g**2 / (81 * m**2 * mu**2),
            "2/9 is the mean of (k - x)_+ over a long walk from the third of its length; squared",
        ),
    ),
    remarks=(
        "With m = 2 L/(3 mu) clients and short rounds of many steps it is (2/27)(L/mu) eta^2 tau^2 "
        "sigma_g^2; quadratic clients show 1/16 in place of 2/27.",
    ),
    prose=__doc__,
)
