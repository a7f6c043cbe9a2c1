r"""EPISODE on relaxed-smooth losses: rounds to a small gradient, with every constant.

Three limits on the step size make three counts of rounds: $tau$ steps must stay where the curvature is
known, the noise must not move the local models far, and the averaged noise must be small. Local steps
cannot reduce the first two counts; the third is averaged over $m$ clients and $tau$ steps. The mean of
$E||grad F||$ over as many rounds as the bound says is at most the target, too.

Proof. Continue that of episode_relaxed_smooth_decrease, with its $g$, $H$, $K$ and $e$.

(i) Not clipped: by Young's inequality with the weight 1/7, the first two terms of the descent are at most
$-0.824 g^2 + 1.635 ||e||^2$, and the part of $eta H sigma^2$ with $g$ is at most $g^2/400 + 0.6 (K sigma)^2$.
So $(E F(x+) - F(x))/(eta tau) <= -0.813 g^2 + X$ with $X = 0.618 eta (L_0 + L_1 zeta) sigma^2/m + 0.62 (K
tau sigma)^2$: of $g^2$ there is left $0.824 - 1.635 ((3/10) (5/54)^2 + 0.0021) - 1/400 >= 0.813$, and
$(3/10) (1.635) 1.26 (tau^2 - 1) + 0.6 <= 0.62 tau^2$.

(ii) Clipped: $F$ falls by at least $(73/100) tau clip g >= 1.626 eta tau target g$, as clip $>= (9/4) eta
target$.

(iii) As $g^2 >= 2 target g - target^2$, in every round $E F(x+) - F(x) <= eta tau (-1.626 target E g + 0.813
target^2 + X)$, and $X <= (0.155 + 0.123) target^2$ by the first and the last condition. While $E g > target$
the loss falls by at least $(8/15) eta tau target^2$ a round.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.episode_relaxed_smooth_decrease import THEOREM as DECREASE_THEOREM

_CURVATURE = eta * (L0 + L1 * zeta) + L1 * (1 + rho_zeta) * (clip + eta * sigma)

THEOREM = upper(
    "episode_relaxed_smooth_explicit",
    title="EPISODE: episodic gradient clipping, rounds to target, explicit",
    algorithm="episode",
    bounds=ROUNDS_TO_TARGET,
    assumes=DECREASE_THEOREM.assumptions,
    steps=(
        at_most(tau * _CURVATURE * Max(12, 9 * sigma / (4 * target)), 1),
        at_least(clip, eta * Max(7 * sigma, 9 * target / 4)),
        at_most(4 * eta * (L0 + L1 * zeta) * sigma**2, m * target**2),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(15, 8) * gap / (eta * tau * target**2),
            "a round lowers the loss by 8/15 of eta tau target^2 while the gradient is above the target",
        ),
    ),
    remarks=(
        "With clip/eta = 7 sigma + L0/(L1 (1 + rho_zeta)), where that is at least 9 target/4, and c = 2 L0 + "
        "L1 zeta + 8 L1 (1 + rho_zeta) sigma, the longest steps need gap/target^2 times the largest of "
        "45 c/2, 135 c sigma/(32 target) and 15 (L0 + L1 zeta) sigma^2/(2 m tau target^2) rounds: the order "
        "of episode_relaxed_smooth, with constants.",
        "With clip/eta = 7 sigma + 9 target/4 the same holds for every target, with c = L0 + L1 zeta + "
        "L1 (1 + rho_zeta) (8 sigma + 9 target/4).",
        "Where the mean loss is (L0, L1)-smooth as well, L0 replaces L0 + L1 zeta in the last count.",
        "The constants that are recalled from the source suffice by the same proof: episode_relaxed_smooth.",
    ),
    source=CRAWSHAW_2023_EPISODE.at(
        "Theorem 1 (setting); constants proved here",
        note="The constants stand on the proof above.",
        letters={"R": T, "N": m, "I": tau, "kappa": zeta, "rho": rho_zeta, "Delta": gap, "epsilon": target},
    ),
    prose=__doc__,
)
