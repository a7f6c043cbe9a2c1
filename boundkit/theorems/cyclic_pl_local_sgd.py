r"""FedAvg with cyclic participation of whole groups and tau local SGD steps: the loss after a cycle.

The terms of cyclic_pl_local, and three of noise: averaged over all clients, moved on by the order of the
groups, and the drift that noise causes in a client.

Proof, for one cycle of $K$ groups from $x_0$, with $a = eta L tau$, $b = eta L (tau - 1)$, $S = eta tau K$,
$c = S L$, $M = m/K$, $G = ||grad F(x_0)||$, and $D_k^2 = E||x_k - x_0||^2$ before group $k$.

(i) $x_(k+1) = x_k - eta tau (h_k(x_k) - e_k + n_k)$, with $h_k$ the group's mean gradient, $E||n_k||^2 <=
(10/9) sigma^2/(M tau)$, and a client's error of root mean square at most $b (sqrt(3/10) R_k + sqrt(3/5)
sigma/sqrt(tau))$, with $R_k$ the root mean square of $||grad F_i(x_k)||$ over the clients. By Minkowski,
with $R_0 <= G + sigma_b + sigma_w$, $D_k <= P_k + 1.0457 a sum_(j<k) D_j$, and $P_k$ is $eta tau k$ times
$1.0457 (G + sigma_b) + 0.548 b sigma_w + 0.775 b sigma/sqrt(tau)$, plus $eta tau sqrt(k (10/9) sigma^2/(M
tau))$. By Gronwall $D_k^2 <= 1.417 P_k^2$.

(ii) Square with Young's inequality, and take the mean over the groups: $L^2 D^2 <= a^2 (K - 1)^2 [2.153
(G^2 + sigma_b^2) + 5.33 b^2 sigma_w^2 + 10.65 b^2 sigma^2/tau] + 3.94 a^2 (K - 1) sigma^2/(M tau)$.

(iii) With $v$ the mean over the cycle of $h_k(x_k) - e_k$, $||grad F(x_0) - v||^2 <= (3/2) L^2 D^2 + 3 mean
||e_k||^2 <= 1.519 L^2 D^2 + b^2 (1.35 (G^2 + sigma_b^2 + sigma_w^2) + (9/5) sigma^2/tau)$, of which $G^2$
has at most $0.0909$.

(iv) Over $S$, the loss changes in a cycle by at most $-G^2/2 - ||v||^2/2 + ||grad F(x_0) - v||^2/2 + (c/2)
[6 ||v||^2 + (6/5)(10/9) sigma^2/(m tau)]$, and $6 c <= 1$. So $0.4545$ of $G^2$ remains, the gap contracts
by $1 - 0.909 mu_PL S$, and what is added is divided by $0.909 mu_PL$. The factor $1.799$ of $sigma_b^2
tau^2 (K - 1)^2$ and $0.743$ of $sigma_b^2 (tau - 1)^2$ are covered by $(9/5) (K tau - 1)^2$.
"""

from boundkit.algebra.authoring import *

_CYCLE = eta**2 * L**2 * (tau * groups - 1) ** 2 * sigma_between**2 / mu_pl
_WALK = Rational(7, 8) * eta**2 * L**2 * (tau - 1) ** 2 * sigma_within**2 / mu_pl
_GAP = (1 - Rational(9, 10) * eta * mu_pl * tau * groups) ** (T / groups) * gap

THEOREM = upper(
    "cyclic_pl_local_sgd",
    title="Cyclic client participation of whole groups, local SGD",
    algorithm="fedavg",
    costs="cyclic_fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH,
        POLYAK_LOJASIEWICZ,
        BOUNDED_NOISE,
        GROUP_DISSIMILARITY,
        EQUAL_WEIGHTS,
        CYCLIC_GROUPS,
        WHOLE_GROUPS,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(groups, 2)),
    steps=(at_most(eta * L * tau * groups, Rational(1, 6)),),
    terms=(
        derived("initial gap", _GAP, "0.4545 of the squared gradient survives a cycle; T/groups cycles"),
        derived(
            "stochastic noise",
            eta
            * L
            * groups
            * sigma**2
            / (m * mu_pl)
            * (Rational(3, 4) + Rational(33, 10) * eta * L * tau * (groups - 1)),
            "(2/3) over 0.909; and (1.519 (3.94)/2) over 0.909 by the order of the groups",
        ),
        derived(
            "noise drift",
            Rational(5, 4) * eta**2 * L**2 * sigma**2 * (tau - 1) / mu_pl,
            "(1.519 (10.65)/36 + 9/5)/2 over 0.909",
        ),
        derived("client drift", _WALK, "(1.519 (5.33)/36 + 1.35)/2 over 0.909"),
        derived("cyclic order", Rational(9, 5) * _CYCLE, "1.799 by (iv)"),
    ),
    remarks=(
        "T is a whole number of cycles, and the loss is that at the end of a cycle.",
        "The proof needs sigma_b and sigma_w at the starts of cycles alone.",
        "Without noise cyclic_pl_local has 4/5, 3 and 3 at steps longer by 6/5.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order for local SGD. This statement stands on the proof above alone.",
    ),
    prose=__doc__,
)
