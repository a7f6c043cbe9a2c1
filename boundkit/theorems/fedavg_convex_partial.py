r"""FedAvg on smooth convex losses, C m clients a round: the mean gap of the loss.

The five terms of the non-convex case, for the loss gap. The initial gap is a squared distance from the
optimum.

Proof, with $s = eta_s eta tau$, $h_i$ the mean of client $i$'s true gradients over its steps, and $E_r$ the
mean squared local drift. $||x+ - x*||^2 = ||x - x*||^2 - 2 s <h, x - x*> + s^2 ||v||^2$ in expectation.
(i) Three points: $<grad F_i(y), x - x*> >= F_i(x) - F_i(x*) - (L/2) ||x - y||^2$.
(ii) $E||v||^2 <= 2 sigma^2/(C m tau) + 6 L^2 E_r + 6 q sigma_g^2/(C m) + 6 ||grad F||^2$, with $q = (1 - C)
m/(m - 1)$ and $||grad F||^2 <= 2 L (F - F*)$.
(iii) $E_r <= 2 eta^2 (tau - 1) sigma^2 + 8 eta^2 tau (tau - 1) (sigma_g^2 + ||grad F||^2)$. With $s L <=
1/24$ and $eta L tau <= 1/8$, $F - F*$ keeps the factor $2 - 1/2 - 5/16 > 1$, and $E_r$ costs $(1 + 1/4) s L$.
Telescope, and divide by $s T$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_convex_partial",
    title="FedAvg, convex, partial participation",
    algorithm="fedavg",
    bounds=MEAN_LOSS_GAP,
    assumes=(*CONVEX_NOISY, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS),
    requires=(at_least(m, 2),),
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_s * eta, 1 / (24 * L * tau))),
    terms=(
        derived(
            "initial gap",
            distance**2 / (eta_s * eta * tau * T),
            "the squared distance telescopes; F - F* keeps a factor above 1",
        ),
        derived(
            "stochastic noise",
            2 * eta_s * eta * sigma**2 / (C * m),
            "2 from splitting noise and mean in (ii)",
        ),
        derived(
            "noise drift",
            Rational(5, 2) * L * eta**2 * (tau - 1) * sigma**2,
            "5/2 = (1 + 1/4) 2: the local drift costs 5/4 s L by (i) and (ii), and its noise is 2",
        ),
        derived(
            "partial participation",
            6 * eta_s * eta * tau * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "6 = 2 times 3: noise split off, then three parts of the mean",
        ),
        derived(
            "client drift",
            10 * L * eta**2 * tau * (tau - 1) * sigma_g**2,
            "10 = (1 + 1/4) 8: as the noise drift, with the drift's 8",
        ),
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem I (rate); constants proved here",
        note="The source states rates under a (G, B) dissimilarity. This statement, with reading D2 and "
        "explicit constants, stands on the proof above alone.",
    ),
    prose=__doc__,
)
