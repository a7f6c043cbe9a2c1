r"""EPISODE on relaxed-smooth losses: the mean decrease a round, with every constant.

Where the curvature may grow with the gradient, $tau$ local steps must stay where it is about that of the
round's start. A clipped round does so since its steps are short, and a round that is not clipped since its
gradients are small; noise adds at most $sigma$ a gradient to either, and a clipping threshold clip/eta of
$7 sigma$ is large enough for the direction of a clipped step to be right. As the fresh gradients correct
the local steps, the dissimilarity of the clients enters through the curvature only, never through their
drift.

Proof. Write $g = ||grad F(x)||$, $K = eta (L_0 + L_1 zeta) + L_1 (1 + rho_zeta) (clip + eta sigma)$, and
$H = (10/9) (L_0 + L_1 (zeta + (1 + rho_zeta) g))$. By Gronwall's inequality $L_0 + L_1 ||grad F_i||$
grows by at most $exp(L_1 r)$ over a distance $r$, and $||grad F_i(x)|| <= zeta + (1 + rho_zeta) g$, so
that all Hessians within $L_1 r <= 0.105$ of $x$ are at most $H$. Let $G_i = grad F_i(x) - n_i$ be the fresh
gradients and $G$ their mean; $||n_i|| <= sigma$, so that $g$ and $||G||$ differ by at most $sigma$.

(1) Not clipped: $eta g <= clip + eta sigma$, so $eta H <= (10/9) K$ and $eta H tau <= 5/54$. A step is at
most $H ||y - x|| + 2 sigma + ||G||$ times eta, so $||y - x|| <= tau (2 eta sigma + clip) e^(5/54) <=
(9/8) e^(5/54) tau (clip + eta sigma) <= 0.103/L_1$ by induction over the steps. The corrections cancel
in the mean: with $b_i$ the mean of the client's $tau$ gradients, $x+ = x - eta tau$ mean $b_i$.
Given the $G_i$ put $e_i = grad F_i(x) - E b_i$ and $e$ for their mean. The first mean step of client
$i$ is $grad F_i(x) - G_i + G$, whose mean square over clients is at most $g^2 + sigma^2$. So, by the
lemmas on the variance and the bias of local steps at $eta H tau <= 1/10$, Var $b_i <= (10/9)
sigma^2/tau$ and mean $||e_i||^2 <= (eta H)^2 ((3/10) (tau - 1)^2 g^2 + (3/10) (tau^2 - 1) sigma^2)$.

(2) Descent, with $a = grad F(x) - e$ and $h = eta H tau$: $(E F(x+) - F(x))/(eta tau) <= -<grad F, a> +
(h/2) ||a||^2 + (5/9) eta H sigma^2/m$. The first two are $-(1 - h/2) g^2 + (1 - h) <grad F, e> + (h/2)
||e||^2$, which grow with $h$ and at $h = 5/54$ are at most $-0.681 g^2 + 0.803 ||e||^2$, by Young's
inequality with the weight 3/10. In $eta H$ the part with $g$ is at most $(10/9) K g/(8 sigma)$, and $(10/9)
g/(96 tau sigma)$, since $L_1 (1 + rho_zeta) 8 eta sigma <= K <= 1/(12 tau)$. So $(eta H tau sigma)^2 <=
1.26 (K tau sigma)^2 + 0.007 g^2$, and in the noise that part is at most $0.0772 K sigma g <= g^2/200 + 0.3
(K sigma)^2$. Of $g^2$ there is left $0.681 - 0.803 ((3/10) (5/54)^2 + 0.0021) - 1/200 >= 2/3$; and $(3/10)
(0.803) 1.26 (tau^2 - 1) + 0.3 <= 0.304 tau^2$.

(3) Clipped: $g >= clip/eta - sigma >= 6 sigma$, steps have length clip, and $L_1 tau$ clip $<= 1/12$. A
step's vector $u$ differs from $grad F(x)$ by at most $H tau clip + 3 sigma$; here $H tau clip <= (5/54) (g +
sigma)$, since clip is at most $eta (g + sigma)$. That is at most $0.609 g$, so that $<grad F(x), u>/||u|| >=
sqrt(1 - 0.609^2) g$, and $F$ falls by at least $tau clip (0.793 g - (5/108) (g + sigma)) >= (73/100) tau
clip g$.

So $F$ falls by at least $(2/3) tau min(eta g^2, clip g)$ in either case, less the noise of (2), in
expectation. Sum over the rounds; $(3/2)(5/9)(10/9) = 25/27$, and $(3/2) 0.304$ is at most $23/50$.
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
    steps=(at_most(tau * _CURVATURE, Rational(1, 12)), at_least(clip, 7 * eta * sigma)),
    terms=(
        derived(
            "initial gap",
            Rational(3, 2) * gap / (tau * T),
            "a round lowers the loss by 2/3 of tau times that",
        ),
        derived(
            "stochastic noise",
            Rational(25, 27) * eta**2 * (L0 + L1 * zeta) * sigma**2 / m,
            "(10/9)/2 of the curvature in a round, (10/9) (L0 + L1 zeta), times 3/2",
        ),
        derived(
            "noise drift",
            Rational(23, 50) * eta * (tau * sigma * _CURVATURE) ** 2,
            "(3/10) 0.803 of the squared curvature, times 3/2: noise of the corrections and of the steps",
        ),
    ),
    becomes=(
        to(
            "clipped_gd_relaxed_smooth",
            {tau: 1, sigma: 0},
            factors={"initial gap": Rational(5, 6)},
            because="with one exact step EPISODE takes a clipped gradient step; the steps here are shorter",
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
