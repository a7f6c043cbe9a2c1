r"""FedAvg on strongly convex losses: what client drift alone costs, on one piecewise quadratic client.

Client 1 has little curvature where its local steps start and much where they arrive: there its gradients are
others than at the server's model, while the mean loss is flat between the server's model and the optimum.

Proof. Let the run start at 0. Client 1 has the gradient $-g + mu y + (L - mu) (y - a)_+$, all others $h + mu
y$, with $h$ such that 0 is the fixed point of FedAvg. Put $b = eta L (tau - 1)$ and $a = (1 - b/2) eta g (tau
- 1)/3$. As $-g + L y$ is not below the gradient, the local models $y_k$ of client 1 are at least $(1 - (1 -
eta L)^k) g/L >= (1 - b/2) eta g k$, so that the mean of $(y_k - a)_+$ over $k < tau$ is at least $(1 - b/2)
eta g$ times that of $(k - (tau - 1)/3)_+$, which is at least $2 (tau - 1)/9$: for whole n and $0 <= x <= n$
the sum of $(k - x)_+$ over $k <= n$ is at least $(n - x)(n - x + 1)/2$. Let $A$ be the mean of $mu y_k + (L -
mu) (y_k - a)_+$. The displacements of a round cancel, $(m - 1) h r = g - A$, with $r$ the mean of $(1 - eta
mu)^k$, $1 - eta mu (tau - 1)/2 <= r <= 1$. So the mean gradient at 0 is $-(g - (g - A)/r)/m$, and $g - (g -
A)/r >= A - g (1 - r) >= eta g (tau - 1) (2/9) (L - mu - eta L (tau - 1) (L/2 + 5 mu/8))$, positive by the
condition, and $b < 2$. (For three steps or more $eta L <= 1$; of two only $y_1 = eta g$ counts.) The mean
gradient rises with slope $mu$ up to $a$, and that number over $m mu$ is at most $a$, by $m >= 2 L/(3 mu)$: it
is at most the distance of the optimum. As the mean gradient at 0 is not positive, $h <= g/(m - 1)$, and the
squared dissimilarity $(m - 1) (g + h)^2/m^2$ is at most $g^2/(m - 1)$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_drift_lower import THEOREM as QUADRATIC_CLIENTS

_SLOPE = L - mu - eta * L * (tau - 1) * (4 * L + 5 * mu) / 8

THEOREM = variant(
    QUADRATIC_CLIENTS,
    "fedavg_strongly_convex_piecewise_drift_lower",
    title="FedAvg, strongly convex, client drift, lower bound on piecewise quadratics",
    assumes=tuple(
        ONE_PIECEWISE_CLIENT if a == ONE_STIFF_CLIENT else a for a in QUADRATIC_CLIENTS.assumptions
    ),
    requires=(at_least(m, 2 * L / (3 * mu)), at_most(mu, L / 4)),
    steps=(at_most(eta, 8 * (L - mu) / (L * (4 * L + 5 * mu) * tau)),),
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
