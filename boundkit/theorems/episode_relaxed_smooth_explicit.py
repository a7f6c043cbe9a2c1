r"""EPISODE on relaxed-smooth losses: rounds to a small gradient, with every constant.

Three limits on the step size make three counts of rounds: $tau$ steps must stay where the curvature is
known, the noise must not move the local models far, and the averaged noise must be small. Local steps
cannot reduce the first two counts; the third is averaged over $m$ clients and $tau$ steps. The mean of
$E||grad F||$ over as many rounds as the bound says is at most the target, too.

Proof. Continue that of episode_relaxed_smooth_decrease, with its $g$, $H$, $K$ and $e$.

(i) Not clipped: $<grad F(x), e> <= g^2/8 + 2 ||e||^2$, and 5/9 of the part of $eta H sigma^2$ with $g$ is
at most $g^2/50 + 0.023 ((27/25) K sigma)^2$. So $(E F(x+) - F(x))/(eta tau) <= -(4/5) g^2 + X$ with $X =
(3/5) eta (L_0 + L_1 zeta) sigma^2/m + (7/10) (K tau sigma)^2$: of $g^2$ there is left $7/8 - (3/8)(3/50) -
(3/5)(3/50)^2 - 1/50$, and $(3/5)(27/25)^2 <= 7/10$, as $(tau - 1)^2 (1 + 2/tau) <= tau^2 - 1$.

(ii) Clipped: $F$ falls by at least $(29/100) tau clip g >= (8/5) eta tau target g$, as clip $>= 6 eta
target$.

(iii) As $g^2 >= 2 target g - target^2$, in every round $E F(x+) - F(x) <= eta tau (-(8/5) target E g +
(4/5) target^2 + X)$, and $X <= target^2/5 + target^2/5$ by the last two conditions. While $E g > target$
the loss falls by at least $(2/5) eta tau target^2$ a round.
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
        *DECREASE_THEOREM.step_size,
        at_least(clip, 6 * eta * target),
        at_most(3 * eta * (L0 + L1 * zeta) * sigma**2, m * target**2),
        at_most(15 * tau * sigma * _CURVATURE, 8 * target),
    ),
    terms=(
        derived(
            "initial gap",
            Rational(5, 2) * gap / (eta * tau * target**2),
            "a round lowers the loss by 2/5 of eta tau target^2 while the gradient is above the target",
        ),
    ),
    remarks=(
        "With clip/eta = 12 sigma + L0/(L1 (1 + rho_zeta)), where that is at least 6 target, and c = 2 L0 + "
        "L1 zeta + 13 L1 (1 + rho_zeta) sigma, the longest steps need gap/target^2 times the largest of "
        "45 c, 75 c sigma/(16 target) and 15 (L0 + L1 zeta) sigma^2/(2 m tau target^2) rounds: the order of "
        "episode_relaxed_smooth, with constants.",
        "With clip/eta = 12 sigma + 6 target the same holds for every target, with c = L0 + L1 zeta + "
        "L1 (1 + rho_zeta) (13 sigma + 6 target).",
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
