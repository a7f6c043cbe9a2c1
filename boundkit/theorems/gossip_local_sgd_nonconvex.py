r"""Local SGD on a network without a server, smooth non-convex losses.

Clients average with their neighbours after $tau$ local steps, and a round keeps $gossip$ of the spread of
their models. The noise that is not averaged stays of the order of $tau gossip^2/(1 - gossip^2)$ steps, the
drift of heterogeneous clients of $tau gossip/(1 - gossip)$ steps. With $gossip = 0$ it is local SGD with a
server.

Proof. Let $k$ count local steps, $V_k$ be the mean of $E||x_i - x||^2$ over the clients, with $x$ the mean
of the models, and $a = gossip$.

(i) For $eta L <= 1$ a step has $E F(x+) - F(x) <= -(eta/2) ||grad F(x)||^2 + (eta/2) L^2 V_k + eta^2 L
sigma^2/(2 m)$.

(ii) The spread after $j$ steps of a round is $-eta$ times the sum of what earlier rounds left, each round
by a factor $a$, and of the round's own steps. The noises are orthogonal: $n_j^2 sigma^2$ with $n_j^2 = g +
j$ and $g = tau a^2/(1 - a^2)$. Let $Q_l$ be the mean squared deviation of the gradients in a step. With
weights $a/(1 - a) + w$, for any $w > 0$, the gradients of all rounds give at most $A^2 sum_l Q_l$, where $A
= tau a/(1 - a) + sqrt(tau (tau - 1)/2)$ is what the best $w$ leaves of $(a/(1 - a) + w) (tau^2 a/(1 - a) +
tau (tau - 1)/(2 w))$. The gradients of step $l$, $j$ steps into a round, are orthogonal to later noise, and
what they and earlier noise leave shrinks alike: with $R_j = g + tau - 1 - j$ their product is in sum at
most $2 R_j n_j sigma Q_l^(1/2) <= R_j^2 n_j^2 sigma^2/A^2 + A^2 Q_l$. The mean of $R_j^2 n_j^2$ over $j <
tau$ is at most $A^2 (g/4 + (tau - 1)/6)$: with $h = tau a/(1 - a)$ and $M = tau - 1$ it is $g^3 + 3/2 M g^2
+ M (4 M - 1) g/6 + M^2 (M - 1)/12$, and $A^2 >= tau g + 4 g^2 + 2 sqrt(2) g M + tau M/2$, since $h^2 = tau
g + 2 h g$ and $h >= 2 g$.

(iii) $Q_k <= 4 L^2 V_k + 4/3 sigma_g^2$. So the mean of $V_k$ over all steps is at most $eta^2 (5/4 g + 2/3
(tau - 1)) sigma^2 + 8/3 eta^2 A^2 sigma_g^2$ and $8 eta^2 L^2 A^2 <= 1/8$ of itself, which costs a factor
8/7. Insert it in (i).
"""

from boundkit.algebra.authoring import *

_steps = tau * gossip / (1 - gossip) + sqrt(tau * (tau - 1) / 2)

THEOREM = upper(
    "gossip_local_sgd_nonconvex",
    title="Local SGD on a network, non-convex",
    algorithm="gossip_sgd",
    bounds=VIRTUAL_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, GOSSIP, EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    steps=(at_most(eta, 1 / L), at_most(eta * L * _steps, Rational(1, 8))),
    terms=(
        derived("initial gap", 2 * gap / (eta * tau * T), "half of the squared gradient survives each step"),
        derived("stochastic noise", eta * L * sigma**2 / m, "noise of the mean model"),
        derived(
            "noise drift",
            Rational(16, 21) * L**2 * eta**2 * (tau - 1) * sigma**2,
            "2/3 by the noise of the round's own steps and its product with the gradients, times 8/7",
        ),
        derived(
            "noise drift",
            Rational(10, 7) * L**2 * eta**2 * tau * gossip**2 * sigma**2 / (1 - gossip**2),
            "5/4 by the noise of earlier rounds that gossip has not averaged, likewise, times 8/7",
            label="gossip noise",
        ),
        derived(
            "client drift",
            Rational(64, 21) * L**2 * eta**2 * _steps**2 * sigma_g**2,
            "the spread by heterogeneous gradients, of this and of earlier rounds",
        ),
    ),
    remarks=(
        "At tau = 1 it is decentralised SGD.",
        "Dissimilarity is meant at the mean of all models; its average over the local steps suffices.",
        "At gossip = 0 the noise drift is 16/21 of that of local_sgd_nonconvex, at shorter steps.",
    ),
    source=KOLOSKOVA_2020.at(
        "the unified rate", note="At order level there (recalled), with 1 - gossip^2 in place of gossip."
    ),
    prose=__doc__,
)  # fmt: skip
