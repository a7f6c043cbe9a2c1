r"""EPISODE on relaxed-smooth losses: the mean decrease a round, with every constant.

Where the curvature may grow with the gradient, $tau$ local steps must stay where it is about that of the
round's start. A clipped round does so since its steps are short, and a round that is not clipped since its
gradients are small; noise adds at most $sigma$ a gradient to either, and a clipping threshold clip/eta of
$12 sigma$ is large enough for the direction of a clipped step to be right. As the fresh gradients correct
the local steps, the dissimilarity of the clients enters through the curvature only, never through their
drift.

Proof. Write $g = ||grad F(x)||$, $K = eta (L_0 + L_1 zeta) + L_1 (1 + rho_zeta) (clip + eta sigma)$, and
$H = (27/25) (L_0 + L_1 (zeta + (1 + rho_zeta) g))$. By Gronwall's inequality $L_0 + L_1 ||grad F_i||$
grows by at most $exp(L_1 r)$ over a distance $r$, and $||grad F_i(x)|| <= zeta + (1 + rho_zeta) g$, so
that all Hessians within $L_1 r <= 0.07$ of $x$ are at most $H$. Let $G_i = grad F_i(x) - n_i$ be the fresh
gradients and $G$ their mean; $||n_i|| <= sigma$, so that $g$ and $||G||$ differ by at most $sigma$.

(1) Not clipped: $eta g <= clip + eta sigma$, so $eta H <= (27/25) K$ and $eta H tau <= 3/50$. A step is at
most $H ||y - x|| + 2 sigma + ||G||$ times eta, so $||y - x|| <= tau (2 eta sigma + clip) e^(3/50) <=
(14/13) e^(3/50) tau (clip + eta sigma) <= 0.064/L_1$ by induction over the steps. The corrections cancel
in the mean: with $b_i$ the mean of the client's $tau$ gradients, $x+ = x - eta tau$ mean $b_i$.
Given the $G_i$ put $e_i = grad F_i(x) - E b_i$ and $e$ for their mean. The first mean step of client
$i$ is $grad F_i(x) - G_i + G$, whose mean square over clients is at most $g^2 + sigma^2$. So, by the
lemmas on the variance and the bias of local steps at $eta H tau <= 1/10$, Var $b_i <= (10/9)
sigma^2/tau$ and mean $||e_i||^2 <= (eta H (tau - 1))^2 ((3/10) (g^2 + sigma^2) + (3/5) sigma^2/tau)$.

(2) Descent, with $a = grad F(x) - e$ and $-<grad F, a> = -g^2/2 - ||a||^2/2 + ||e||^2/2$, as $eta H tau <=
1$: $(E F(x+) - F(x))/(eta tau) <= -g^2/2 + ||e||^2/2 + (5/9) eta H sigma^2/m$. In $eta H sigma^2$ the part
of $H$ with $g$ is at most $(27/25) K g sigma/13$, since $L_1 (1 + rho_zeta) 13 eta sigma <= K$; by Young's
inequality 5/9 of it is at most $g^2/5 + 0.0023 ((27/25) K sigma)^2$. Of $g^2$ there is left $1/2 - 1/5 -
(3/20)(3/50)^2 >= 29/100$; and $(3/20) (tau - 1)^2 (1 + 2/tau) + 0.0023 <= (3/20) tau^2$.

(3) Clipped: $g >= clip/eta - sigma >= 11 sigma$, steps have length clip, and $L_1 tau$ clip $<= 1/18$. A
step's vector differs from $grad F(x)$ by at most $H tau clip + 3 sigma$; here $H clip <= (27/25) (g +
sigma) K$, since clip is at most $eta (g + sigma)$. As $<h, u>/||u|| >= ||h|| - 2 ||u - h||$, $F$ falls by
at least $tau$ clip $(g - 6 sigma - (5/2) (3/50) (g + sigma)) >= (0.85 - 6.15/11) tau clip g >= (29/100)
tau clip g$.

So $F$ falls by at least $(29/100) tau min(eta g^2, clip g)$ in either case, less the noise of (2), in
expectation. Sum over the rounds; $1/0.29$ is at most $7/2$, $(7/2)(5/9)(27/25) = 21/10$, and $(7/2)(3/20)
(27/25)^2$ is at most $5/8$.
"""

from boundkit.algebra.authoring import *

_GROWTH = L1 * (1 + rho_zeta)
_CURVATURE = eta * (L0 + L1 * zeta) + _GROWTH * (clip + eta * sigma)

THEOREM = upper(
    "episode_relaxed_smooth_decrease",
    title="EPISODE: episodic gradient clipping, mean decrease",
    algorithm="episode",
    bounds=CLIPPED_DECREASE,
    assumes=(RELAXED_SMOOTH, BOUNDED_BELOW, ALMOST_SURE_NOISE, NORM_DISSIMILARITY, *ALL_CLIENTS),
    steps=(at_most(tau * _CURVATURE, Rational(1, 18)), at_least(clip, 12 * eta * sigma)),
    terms=(
        derived(
            "initial gap",
            Rational(7, 2) * gap / (tau * T),
            "a round lowers the loss by 29/100 of tau times that, and 1/0.29 is at most 7/2",
        ),
        derived(
            "stochastic noise",
            Rational(21, 10) * eta**2 * (L0 + L1 * zeta) * sigma**2 / m,
            "(10/9)/2 of the curvature in a round, (27/25) (L0 + L1 zeta), times 7/2",
        ),
        derived(
            "noise drift",
            Rational(5, 8) * eta * (tau * sigma * _CURVATURE) ** 2,
            "3/20 of the squared curvature (27/25)^2 times 7/2: noise of the corrections and of the steps",
        ),
    ),
    becomes=(
        to(
            "clipped_gd_relaxed_smooth",
            {tau: 1, sigma: 0},
            factors={"initial gap": Rational(7, 5)},
            because="with one exact step EPISODE takes a clipped gradient step; 7/2 allows for noise",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "noise drift",
            because="the noise of one step is paid where the curvature grows with the gradient",
        ),
    ),
    remarks=(
        "Clients are exchangeable in the bound: their dissimilarity changes the curvature in a round, and "
        "leaves no error of its own.",
        "Where the mean loss is (L0, L1)-smooth as well, the stochastic noise has L0 for L0 + L1 zeta.",
        "The noise must never exceed sigma: bounded in the mean square, it may leave the ball in which the "
        "curvature is known.",
    ),
    source=CRAWSHAW_2023_EPISODE.at(
        "Theorem 1 (setting); constants proved here",
        note="The source chooses its steps for a target. The constants stand on the proof above.",
        letters={"R": T, "N": m, "I": tau, "kappa": zeta, "rho": rho_zeta, "Delta": gap},
    ),
    prose=__doc__,
)
