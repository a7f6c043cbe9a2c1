r"""FedAvg on smooth non-convex losses, partial participation: every constant at most a third of the paper's.

The terms, assumptions and step sizes are those of fedavg_nonconvex_partial. Its proof is loose in three
places: Young's inequality between the noise and later gradients, the largest local drift for the mean one,
and the dropped part $-1/2 ||E v||^2$ of the descent.

Proof, for one round $x+ = x - s v$, with $s = eta_s eta tau$, $M = C m$ and $q = (1 - C) m/(m - 1)$. Client
$i$'s mean gradient is $d_i = (x - x_i^tau)/(eta tau)$, with mean $a_i = grad F_i - e_i$; $a$ and $e$ are the
means over clients.
(i) Variance. A step stretches by at most $1 + eta L$ and adds at most $eta^2 sigma^2$, so that $Var x_i^k <=
eta^2 sigma^2 sum_{j<k} (1 + eta L)^(2 j) <= 8/7 eta^2 k sigma^2$ for $eta L tau <= 1/8$. Therefore $Var d_i
<= 8/7 sigma^2/tau$.
(ii) Local drift. Let $r_k^2 = E||x_i^k - x||^2$. The mean of $x_i^k$ moves by at most $eta (||grad F_i|| + L
r_k)$, and $r_k$ is at most that distance plus $sqrt(Var x_i^k)$. So that distance is at most $16/15 eta k
||grad F_i|| + 17/180 eta sqrt(k) sigma$, and $r_k^2 <= 5/4 eta^2 (k^2 ||grad F_i||^2 + k sigma^2)$.
(iii) Bias. $||e_i|| <= (L/tau) sum_k r_k$, and Cauchy-Schwarz with the weights $k$ gives $||e_i||^2 <= 5/4
eta^2 L^2 (tau - 1)^2 (||grad F_i||^2/4 + sigma^2/(2 tau))$.
(iv) $E||v||^2 = ||a||^2 + (q/M) mean_i ||a_i - a||^2 + mean_i Var d_i/M$, exactly; and by Young $mean_i ||a_i
- a||^2 <= 10/9 sigma_g^2 + 10 mean_i ||e_i||^2$.
(v) With $c = s L <= 1/24$, $[E F(x+) - F(x)]/s <= -<grad F, a> + c/2 E||v||^2$. The terms with $a$ are $-(1 -
c/2) ||grad F||^2 + (1 - c) <grad F, e> + c/2 ||e||^2$; $<grad F, e> <= 1/5 ||grad F||^2 + 5/4 ||e||^2$. By
(iii) at $eta L tau <= 1/8$, more than $39/50$ of the squared gradient is left; and $||e||^2$ weighs at most
$5/4 - 3 c/4$, which is less than $8/5$ of what is left, whatever $c$: what is left grows as $c$ falls. The
$10 mean_i ||e_i||^2$ join the noise and the participation, as $25/256 sigma^2/tau$ and $25/512 sigma_g^2$.
Telescope, and divide by what is left.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM as PAPER

THEOREM = variant(
    PAPER,
    "fedavg_nonconvex_partial_sharp",
    title="FedAvg, non-convex, partial participation, sharper constants",
    terms=(
        derived(
            "initial gap",
            Rational(13, 10) * gap / (eta_s * eta * tau * T),
            "39/50 of the squared gradient a round survives by (v); 50/39 rounded up",
        ),
        derived(
            "stochastic noise",
            Rational(4, 5) * eta_s * eta * L * sigma**2 / (C * m),
            "(8/7 + 25/256)/2 by (i) and (v), over 39/50, rounded up",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2,
            "5/8 by (iii), and less than 8/5 for its weight over what is left; and tau - 1 for (tau - "
            "1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(3, 4) * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "(10/9 + 25/512)/2 by (iv) and (v), over 39/50, rounded up",
        ),
        derived(
            "client drift",
            eta**2 * L**2 * tau * (tau - 1) * sigma_g**2 / 2,
            "5/16 by (iii), otherwise as the noise drift; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            factors={
                "initial gap": Rational(13, 40),
                "stochastic noise": Rational(1, 5),
                "noise drift": Rational(1, 8),
                "partial participation": Rational(1, 16),
                "client drift": Rational(1, 64),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "sgd_nonconvex",
            {C: 1, eta_s: 1, tau: 1},
            factors={"initial gap": Rational(13, 20), "stochastic noise": Rational(4, 5)},
            because="a step size of at most 1/(24 L) leaves more of the descent than SGD's 1/L",
        ),
    ),
    remarks=(
        "Nearly tight: as the step sizes go to 0 no proof can go below 1 for the initial gap (a loss that "
        "falls in a straight line), 1/2 for the noise and the participation (the stationary distribution on "
        "quadratics), and 1/4 for the drifts (clients with different curvatures; noise where a derivative "
        "has a kink).",
        "Weights 2/5 and 5/8 for 1/5 and 5/4 in (v) give drifts of 2/3 and 1/3; the initial gap is then "
        "17/10, the noise 21/20 and the participation 1.",
        "The proof shows (tau - 1)^2/tau and (tau - 1)^2 where the drifts have tau - 1 and tau (tau - 1).",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 1", note="The algorithm and the steps are the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
