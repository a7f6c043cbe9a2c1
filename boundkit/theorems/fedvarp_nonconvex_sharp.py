r"""FedVARP on smooth non-convex losses: every constant below the paper's, with a complete proof.

The terms and step sizes are those of fedvarp_nonconvex. The error of the first direction needs no term of its
own: the start-up of the stored updates covers it.

Proof. As for fedvarp_nonconvex_repaired, with two changes. (ii) splits $h_i - y_i$ unevenly, by $5/4$ and 5:
$E||v||^2 <= 2 sigma^2/(M tau) + 2 E||h||^2 + 2 (q/M) (5 H + (5/4) A)$; and the sum $F + a A$ is followed from
the first round on, with $a = (16/5) q m s^2 L/M^2$. Then $E||v||^2$ weighs at most $(1/2 + (16/5) (5/4)/32)
s^2 L = 5/8 s^2 L$; $A$ falls, since $(16/5)/2 >= (5/2) (5/8)$; $sigma^2$ weighs at most $(5/4 + 8) s^2 L/(M
tau)$, and $H$ at most $s/2 + (25/4 + 8) s^2 L/M <= s/2 + (57/4) (5/48) s < 1.985 s$. With $eta L tau <= 1/10$
the squared gradient keeps $1/2 - 1.985 (8/100) > 1/3$; times 3.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedvarp_nonconvex import THEOREM as PAPER

THEOREM = upper(
    "fedvarp_nonconvex_sharp",
    title="FedVARP, sharper constants",
    algorithm="fedvarp",
    bounds=PAPER.claim,
    assumes=PAPER.assumptions,
    requires=(at_least(m, 2),),
    steps=PAPER.step_size,
    terms=(
        derived(
            "initial gap", 3 * gap / (eta_s * eta * tau * T), "1/3 of the squared gradient a round survives"
        ),
        derived(
            "stochastic noise",
            28 * eta_s * eta * L * sigma**2 / (C * m),
            "3 times 5/4 + 8, rounded up: the noise of a direction, and its part in the stored updates",
        ),
        derived(
            "noise drift",
            12 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "3 (1.985) times the drift's 2, rounded up",
        ),
        derived(
            "client drift",
            48 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "3 (1.985) times the drift's 8, rounded up",
        ),
        derived(
            "start-up",
            10 * eta_s * eta * tau * L * (1 - C) / (C**2 * (m - 1)) * gradients_start**2 / T,
            "3 times 16/5: the initial weight of the stored updates",
            label="start-up of stored updates",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            {C: 1},
            factors={
                "initial gap": Rational(3, 4),
                "stochastic noise": 7,
                "noise drift": Rational(3, 2),
                "client drift": Rational(3, 2),
            },
            because="with full participation FedVARP is FedAvg without start-up",
        ),
    ),
    remarks=(
        "It implies fedvarp_nonconvex, whose proof has a gap: m/(m - 1) <= 2 makes 10 at most 20, below 32.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 2", note="The algorithm and the steps are the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
