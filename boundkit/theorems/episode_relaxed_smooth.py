r"""EPISODE: episodic gradient clipping with fresh corrections, all clients: rounds to a small gradient.

At the start of a round every client sends a fresh gradient. Their mean decides, for the whole round and
for all clients, whether steps are clipped, and it corrects the local steps. So heterogeneity causes no
drift to first order, and the noise is averaged over $m$ clients and $tau$ steps. The number of rounds is
bounded below by the curvature in a round: $L_0$, and $L_1$ times the dissimilarity and the noise.

Proof. Recalled: with $A = 2$ and $B = e - 1$ the numbers of relaxed smoothness and $c = A L_0 + B L_1 zeta
+ B L_1 rho (sigma + clip/eta)$, the step is at most $1/(216 c tau)$, $target/(180 c tau sigma)$ and 1/16
or 1/8 of $m target^2/(A L_0 sigma^2)$, the threshold clip/eta is $11 sigma + A L_0/(B L_1 rho)$, the
target at most $3/5$ of the latter, and $4 gap/(target^2 eta tau)$ rounds bring the mean gradient below
three times the target. Putting the step in gives the terms below; the numbers differ between two
recollections, so no constant is stated.

These numbers suffice, with 1/16 and with 1/8, where $F$ is (L0, L1)-smooth as well and $rho >= 1$. In the
proof of episode_relaxed_smooth_decrease, where 27/25 may replace 10/9 in H as the steps are short, $eta H <=
1.26 eta c$ then, so $eta H tau <= 0.0059$. Clipped: $g >= 10 sigma$ and clip/eta is at least $11 sigma$ and
$(5/3) target$, so $F$ falls by $(1 - 0.6 - 0.017) tau clip g >= 0.63 eta tau target g$. Not clipped, as in
(i) of episode_relaxed_smooth_explicit with $12 sigma$ for $8 sigma$: $F$ changes by at most $eta tau (-0.78
g^2 + X)$, $X <= (5/9)(27/25) target^2/16 + 0.0001 target^2 <= 0.038 target^2$, and $0.78 g^2 >= 0.63 target g
- 0.13 target^2$. So the mean of $E||grad F||$ over these rounds is at most $(1/4 + 0.13 + 0.038)/0.63 target
<= 0.67 target$.
"""

from boundkit.algebra.authoring import *

_CURVATURE = L0 + L1 * (zeta + rho_zeta * sigma)

THEOREM = order_level(
    "episode_relaxed_smooth",
    title="EPISODE: episodic gradient clipping, rounds to target",
    algorithm="episode",
    bounds=ROUNDS_TO_TARGET,
    assumes=(RELAXED_SMOOTH, BOUNDED_BELOW, ALMOST_SURE_NOISE, NORM_DISSIMILARITY, *ALL_CLIENTS),
    steps=(at_most(target * L1 * rho_zeta, c_3 * L0),),
    terms=(
        recalled(
            "stochastic noise",
            c_1 * gap * L0 * sigma**2 / (m * tau * target**4),
            "the noise is averaged over m clients with tau gradients a round; the recalled numbers differ",
        ),
        recalled(
            "client drift",
            c_2 * gap * _CURVATURE * (1 + sigma / target) / target**2,
            "tau steps must stay where the curvature is bounded; the recalled numbers differ",
        ),
    ),
    becomes=(
        to(
            "celgc_relaxed_smooth",
            {zeta: 0, rho_zeta: 0},
            leaves=("client drift",),
            because="for homogeneous clients the second term is the one that is hidden in a condition of the "
            "other source",
        ),
    ),
    limits=(
        keeps(
            {zeta: 0, rho_zeta: 0},
            "client drift",
            because="homogeneous clients still drift by their noise, over a curvature of L0",
        ),
    ),
    remarks=(
        "The clip of the source is (11 sigma + A L0/(B L1 rho_zeta)) eta, as recalled; it grows without "
        "bound as L1 or rho_zeta falls to 0, where clipping is not needed.",
        "The source requires rho_zeta >= 1; homogeneous clients have 0.",
        "The recalled constants are sufficient, and loose: their mean gradient is at most 0.67 of the "
        "target, where three times it is claimed. Constants of our own: episode_relaxed_smooth_explicit.",
        "The condition requires a target that is small compared with L0/(L1 rho_zeta); above it, clipped "
        "steps alone would reach the target.",
    ),
    source=CRAWSHAW_2023_EPISODE.at(
        "Theorem 1",
        note="Recalled, and not verified; in the scan of the table the row is unreadable.",
        letters={"R": T, "N": m, "I": tau, "kappa": zeta, "rho": rho_zeta, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
