r"""FedAvg with cyclic participation of sampled parts of groups and tau local SGD steps.

The terms are those of cyclic_pl_local_sgd, and the sampling error inside a group, with the factor $(1 - C
K)/(C (m - K))$ of sampling without replacement. The number of groups does not multiply it.

Proof, for one cycle of $K$ groups from $x_0$, with $a = eta L tau$, $b = eta L (tau - 1)$, $S = eta tau K$,
$c = S L$, $M = C m$, $G = ||grad F(x_0)||$, and $D_k^2 = E||x_k - x_0||^2$ before group $k$.

(i) $x_(k+1) = x_k - eta tau (h_k(x_k) - e_k + n_k + q_k)$, with $h_k$ the group's mean gradient, $E||n_k||^2
<= (10/9) sigma^2/(M tau)$, and a client's error $e_k$ of root mean square at most $b (sqrt(3/10) R_k +
sqrt(3/5) sigma/sqrt(tau))$, with $R_k$ the root mean square of $||grad F_i(x_k)||$ over the clients. The
sampling error $q_k$ has mean 0 and $E||q_k||^2 = f W_k^2$, with $f = (1 - C K)/(C (m - K)) <= 1$ and $W_k <=
1.0343 (sigma_w + L D_k) + b (0.548 (G + sigma_b) + 0.775 sigma/sqrt(tau))$ the root mean square over the
group of the difference of the clients' directions. By Minkowski, with $R_0 <= G + sigma_b + sigma_w$, $D_k <=
P_k + 2.0686 a sum_(j<k) D_j$, so that by Gronwall $D_k^2 <= 1.6773 P_k^2$, and $P_k/(eta tau)$ is $k [1.0686
(G + sigma_b) + 0.548 b sigma_w + 1.55 b sigma/sqrt(tau)] + sqrt(k) [1.0541 sigma/sqrt(M tau) + 1.0343 sqrt(f)
sigma_w]$. Hence $L^2 D^2$, its mean over the groups, is at most $a^2 (K - 1)^2 [2.661 (G^2 + sigma_b^2) +
6.30 b^2 sigma_w^2 + 50.4 b^2 sigma^2/tau] + a^2 (K - 1) [9.32 sigma^2/(M tau) + 8.98 f sigma_w^2]$.

(ii) With $v$ the mean over the cycle of $h_k(x_k) - e_k$, $||grad F(x_0) - v||^2 <= (3/2) L^2 D^2 + 3 mean
||e_k||^2 <= 1.519 L^2 D^2 + b^2 (1.35 (G^2 + sigma_b^2 + sigma_w^2) + (9/5) sigma^2/tau)$. Over $S$, the loss
changes in a cycle by at most $-G^2/2 - ||v||^2/2 + ||grad F(x_0) - v||^2/2$ and $c/2$ times the square of the
direction of the cycle, which splits with the weights 8 and $8/7$, and $8 c <= 1$: $(c/2) (8/7) [(10/9)
sigma^2/(K M tau) + (f/K) mean W^2]$ is added, with $mean W^2 <= 1.605 sigma_w^2 + 9.63 L^2 D^2 + 5.4 b^2 (G^2
+ sigma_b^2 + sigma^2/tau)$. So $L^2 D^2$ weighs at most $1.10$, and $0.454$ of $G^2$ remains; the gap
contracts by $1 - 0.908 mu_PL S$, and the rest is divided by $0.908 mu_PL$.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.cyclic_pl_local_sgd import THEOREM as UNSAMPLED

_PART = (1 - C * groups) / (C * (m - groups))

THEOREM = upper(
    "cyclic_pl_local_sgd_sampled",
    title="Cyclic client participation of sampled groups, local SGD",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=tuple(each for each in UNSAMPLED.assumptions if each != WHOLE_GROUPS),
    requires=(
        at_most(mu_pl, L),
        at_least(groups, 2),
        at_least(m, groups + 1),
        at_most(C * groups, 1),
    ),
    steps=(at_most(eta * L * tau * groups, Rational(1, 8)),),
    terms=(
        UNSAMPLED.bound.terms["initial gap"],
        derived(
            "stochastic noise",
            eta
            * L
            * sigma**2
            / (C * m * mu_pl)
            * (Rational(7, 10) + Rational(34, 3) * eta * L * tau * (groups - 1)),
            "0.635 over 0.908; and 1.10 (9.32) over 0.908 by the order of the groups",
        ),
        derived(
            "noise drift",
            Rational(11, 5) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl,
            "(1.10 (50.4)/64 + 0.9 + 0.193) over 0.908",
        ),
        derived(
            "partial participation",
            Rational(12, 5) * eta * L * tau * sigma_within**2 * _PART / mu_pl,
            "(0.917 + 1.10 (8.98)/8) over 0.908, as eta L tau (K - 1) <= 1/8",
        ),
        derived(
            "client drift",
            Rational(7, 8) * eta**2 * L**2 * (tau - 1) ** 2 * sigma_within**2 / mu_pl,
            "(1.10 (6.30)/64 + 0.675) over 0.908",
        ),
        derived(
            "cyclic order",
            Rational(13, 4) * eta**2 * L**2 * (tau * groups - 1) ** 2 * sigma_between**2 / mu_pl,
            "1.10 (2.661) over 0.908",
        ),
    ),
    remarks=(
        *UNSAMPLED.remarks[:2],
        "The bound of the cyclic order counts all groups before one as if they differed alike; that their "
        "differences add up to 0 over a cycle, as in cyclic_pl_local_sgd, is not used.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order for local SGD. This statement stands on the proof above alone.",
    ),
    prose=__doc__,
)
