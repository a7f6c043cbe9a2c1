r"""MIFA on smooth non-convex losses: stochastic gradients, several local steps, bounded unavailability.

All noise is averaged over the $m$ clients. Unavailability costs a factor $1 + staleness$ in the noise, as
an update is used until the next one, and a condition on the step size; it does not make the dissimilarity
enter, which causes the client drift of FedAvg only.

Proof. Let $s = eta_s eta tau$, $c = s L$, $b = eta L (tau - 1)$, and $d$ the staleness. The server moves by
$-s$ times the mean of $y_i = a_i + n_i$, both of the round $r_i(t)$ in which client $i$ participated last:
$a_i = grad F_i(x_r) - e_i$, and $n_i$ its noise, with $E||n_i||^2 <= (8/7) sigma^2/tau = v$. The
availability does not depend on the noise.

(i) Charge each noise at once: let $z_t$ be $x_t$ less $s/m$ times the sum of the stored noises, each times
the number of rounds before $T$ that still use it. Then $z_0 = x_0$, and $z$ moves by $-s a$, with $a$ the
mean of the stored $a_i$, and by fresh noise, each times the number of rounds that use it. Noises of
different clients or rounds are uncorrelated: $E||z - x||^2 <= s^2 v R_2/m$ in the mean over rounds, and the
squared noise is $s^2 v R_1/m$ a round, with $R_1 = 1 + d$ and $R_2 = d (2 d + 1)/6$.

(ii) Smoothness at $z$ and Young's inequality with $12/25$: the loss falls by $s$ times $||grad F(x)||^2/2 +
(13/50 - c/2) ||a||^2 - ||grad F(x) - a||^2/2 - (25/24) L^2 ||z - x||^2$ at least, less $c s v R_1/(2 m)$.

(iii) A client's error is $||e_i||^2 <= b^2 ((5/16) ||grad F_i||^2 + (5/8) sigma^2/tau)$ for $eta L tau <=
1/8$, and $||grad F_i(x_r)||^2 <= (4/3) ||grad F_i(x)||^2 + 4 L^2 ||x - x_r||^2$. So $||grad F(x) - a||^2 <=
(51/25) L^2 X + b^2 ((5/6) (sigma_g^2 + ||grad F(x)||^2) + (5/4) sigma^2/tau)$, with $X$ the mean of $||x -
x_r||^2$.

(iv) $x - x_r$ is $-s$ times the sum of the $a$ and noises since $r$; Cauchy-Schwarz for the former: summed
over rounds, $X$ is at most $2 s^2 R_3 sum ||a||^2 + 2 s^2 T v R_2/m$ with $R_3 = d (d + 1)/2$. Under $c^2
R_3 <= 1/16$ the factor of $||a||^2$ is at most $-1/2 + 1/8 + 0.24 + 0.1275 < 0$. Of $||grad F||^2$ there
remains $1/2 - 5/768$. Sum over the rounds and divide.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_SQUARES = staleness * (2 * staleness + 1)

THEOREM = upper(
    "mifa_nonconvex_local_steps",
    title="MIFA, non-convex, noise and local steps",
    algorithm="mifa",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, BOUNDED_ABSENCE, COMMON_STEPS),
    steps=(
        at_most(eta, 1 / (8 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
        at_most((_round * L) ** 2 * staleness * (staleness + 1), Rational(1, 8)),
    ),
    terms=(
        derived("initial gap", Rational(41, 20) * gap / (_round * T), "1 over 1/2 - 5/768, rounded up"),
        derived(
            "stochastic noise",
            Rational(6, 5) * eta_s * eta * L * sigma**2 / m * (1 + staleness + _round * L * _SQUARES),
            "(8/7)/2 over 0.4934: each noise is used until the next update of its client; and (8/7)(51/25 + "
            "25/24)/6 over 0.4934: stored noise and the models that it moved",
        ),
        derived("noise drift", Rational(13, 10) * eta**2 * L**2 * sigma**2 * (tau - 1), "5/8 over 0.4934"),
        derived(
            "client drift",
            Rational(17, 20) * eta**2 * L**2 * sigma_g**2 * tau * (tau - 1),
            "5/12 over 0.4934",
        ),
    ),
    becomes=(
        to(
            "mifa_nonconvex",
            {tau: 1, sigma: 0, eta_s: 1},
            factors={"initial gap": Rational(41, 40)},
            because="no noise and no drift; its steps are longer by a factor of about 3",
        ),
        to(
            "fedavg_nonconvex_partial_sharp",
            {staleness: 0, C: 1},
            factors={
                "initial gap": Rational(41, 26),
                "stochastic noise": Rational(8, 5),
                "noise drift": Rational(26, 17),
                "client drift": Rational(17, 9),
            },
            because="with full participation MIFA is FedAvg; the steps here are longer",
        ),
    ),
    remarks=(
        "The server has an update of every client before its first step; a memory that starts empty is not "
        "covered, nor availability that depends on the noise.",
        "No Lipschitz Hessian is needed for the average over m.",
    ),
    source=GU_2021.at(
        "Algorithm 1",
        note="The method is the paper's; this statement and its proof are ours.",
        letters={"N": m, "K": tau, "tau_max": staleness},
    ),
    prose=__doc__,
)
