r"""FedAvg with cyclic client participation, one gradient a round: the loss after whole cycles.

Groups of clients participate in a fixed order, for example by time zone, and $C m$ clients of the current
group are sampled. There are two errors. The last group of a cycle has the largest influence (cyclic order),
and the sampled clients do not represent their group (partial participation). The first is proportional to the
square of the step size, the second to the step size, so that over many rounds the order costs less than the
sampling.

Proof, for a cycle of $K$ rounds from $x$, with $y_g$ the model before the round of group $g$ and $n = m/K$
clients a group.
(i) $x+ - x = -eta (b + E)$, with $b = K grad F(x) + D$, $D$ the sum over $g$ of $grad F_g(y_g) - grad
F_g(x)$, and $E$ a sum of martingale differences, $E||E||^2 <= K v$, $v = sigma_w^2 (n - C m)/(C m (n - 1)) +
sigma^2/(C m)$.
(ii) $-<grad F, b> = (||D||^2 - K^2 ||grad F||^2 - ||b||^2)/(2 K)$, and $eta L K <= 1/2$ takes $||b||^2$ away:
$E F(x+) <= F(x) - (eta K/2) ||grad F||^2 + (eta/(2 K)) E||D||^2 + L eta^2 K v$.
(iii) With $Y$ the largest $E||y_g - x||^2$, by Minkowski, $sqrt(Y) (1 - eta L (K - 1)) <= eta (K - 1)
(sigma_b + ||grad F||) + eta sqrt(K - 1) sqrt(v)$, so that $eta L K <= 1/5$ gives $Y <= (75/16) eta^2 [(K -
1)^2 (sigma_b^2 + ||grad F||^2) + (K - 1) v]$; and $E||D||^2 <= (K - 1)^2 L^2 Y$.
(iv) The squared gradient keeps $(eta K/2) (1 - 3/16)$, which contracts the gap by $1 - (4/5) eta mu_PL K$ a
cycle. What is added, over $(4/5) eta mu_PL K$, is at most $2.93 eta^2 L^2 (K - 1)^2 sigma_b^2/mu_PL$ and
$1.84 eta L v/mu_PL$.

A second proof, without noise and for $eta L K <= 1/6$, bounds the sum over $g$ of $E||y_g - x||^2$ by $2.1
eta^2 K^2 (K - 1) (||grad F||^2 + sigma_b^2) + 1.6 eta^2 K (K - 1) v$ and spends a quarter of $eta K ||grad
F||^2$ on $D$ and a quarter on the square of the step. It leaves $0.427 eta K ||grad F||^2$ and has $5/2$ and
$33/10$ for 2 and 3.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "cyclic_pl",
    title="Cyclic client participation, one gradient a round, PL",
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
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu_pl, L), at_least(m, 2 * groups), at_most(C * groups, 1)),
    steps=(at_most(eta * L * groups, Rational(1, 5)),),
    terms=(
        derived(
            "initial gap",
            (1 - Rational(4, 5) * eta * mu_pl * groups) ** (T / groups) * gap,
            "13/16 of the squared gradient survives a cycle, which is above 4/5; T/groups cycles",
        ),
        derived(
            "stochastic noise",
            2 * eta * L * sigma**2 / (mu_pl * C * m),
            "1 + 15/32, over 4/5, is 1.84, and 2 is above it; averaged over the clients of a round",
        ),
        derived(
            "partial participation",
            2 * eta * L * sigma_within**2 * (1 - C * groups) / (mu_pl * C * (m - groups)),
            "2 as for the noise; C m of m/groups clients sampled without replacement",
        ),
        derived(
            "cyclic order",
            3 * eta**2 * L**2 * (groups - 1) ** 2 * sigma_between**2 / mu_pl,
            "75/32 from the local drift within a cycle, over 4/5, is 2.93, and 3 is above it",
        ),
    ),
    limits=(
        removes({C: 1 / groups}, "partial participation"),
        keeps(
            {sigma_between: 0},
            "cyclic order",
            "partial participation",
            because="groups with equal mean gradients may consist of heterogeneous clients",
        ),
    ),
    remarks=(
        "T is a whole number of cycles, groups times cycles, and the loss is that at the end of a cycle.",
        "The number of groups does not occur in the noise and in the sampling error: at a fixed step size, C "
        "m and sigma_w their error floor is the same for 1 and for 16 groups.",
        "One group is uniform sampling of C m of all m clients.",
        "The proof needs sigma_b at the starts of cycles alone, where it may be measured, and sigma_w where "
        "a group participates. Both are finite on all of space for a common Hessian only.",
        "On quadratics the bias of the model is proportional to eta and its loss to eta^2. Where all "
        "Hessians agree, reversing the order of the groups flips the sign of the bias at first order.",
    ),
    source=CHO_2023.at(
        "Theorem 1 (rate); constants proved here",
        note="The source states an order. This statement, with explicit constants, stands on the proof above "
        "alone.",
    ),
    prose=__doc__,
)
