r"""FedAvg on smooth non-convex losses, full participation: drift variances instead of Young's inequality.

The terms, assumptions and step sizes are those of fedavg_nonconvex, and every constant is smaller than there
and in fedavg_nonconvex_mean_walk.

Proof. As for fedavg_nonconvex_partial_sharp, in its notation, with full participation: $q = 0$, $c = eta L
tau$, and $b = eta L (tau - 1)$.
(i) The conditions make $b^2 <= 1/12$, so $b <= 7/24$, and $Var x_i^k <= 24/17 eta^2 k sigma^2$ for $k <=
tau$; at $tau = 1$ it is $eta^2 sigma^2$.
(ii) For $k < tau$ the mean of $x_i^k$ moves by at most $48/41 eta k ||grad F_i|| + 6/23 eta sqrt(k) sigma$,
and $r_k^2 <= eta^2 (5/3 k^2 ||grad F_i||^2 + 9/5 k sigma^2)$.
(iii) $||e_i||^2 <= eta^2 L^2 (tau - 1)^2 (5/12 ||grad F_i||^2 + 9/10 sigma^2/tau)$.
(iv) With $<grad F, e> <= 1/4 ||grad F||^2 + ||e||^2$ the weight of $||e||^2$ is $1 - c/2$, and the squared
gradient keeps $3/4 - c/4 - 5/12 b^2 (1 - c/2)$. That is at least $5/8$, and $63/100$ for $tau >= 2$, for with
$r = (tau - 1)/tau$ the conditions say $c^2 <= 1/(12 r)$ and $b^2 <= r/12$. It is at least $3/4 (1 - c/2)$
too, since $b <= c$ and $b <= 7/24$ make $5/12 b^2$ at most $c/8$. Telescope, and divide by what is left.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex import THEOREM as FULL

THEOREM = variant(
    FULL,
    "fedavg_nonconvex_sharper",
    title="FedAvg, non-convex, full participation, drift from variances",
    terms=(
        derived(
            "initial gap",
            Rational(8, 5) * gap / (eta * tau * T),
            "5/8 of the squared gradient a round survives by (iv)",
        ),
        derived(
            "stochastic noise",
            Rational(9, 8) * eta * L * sigma**2 / m,
            "(24/17)/2 by (i), over 63/100, rounded up; at tau = 1 it is (1/2)/(5/8)",
        ),
        derived(
            "noise drift",
            Rational(6, 5) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "9/10 by (iii), times 4/3 by (iv); and tau - 1 for (tau - 1)^2/tau",
        ),
        derived(
            "client drift",
            Rational(5, 9) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "5/12 by (iii), times 4/3 by (iv); and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            factors={
                "initial gap": Rational(2, 5),
                "stochastic noise": Rational(9, 32),
                "noise drift": Rational(1, 5),
                "client drift": Rational(5, 108),
            },
            because="the same terms and step sizes; only the proof differs",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": Rational(4, 5), "stochastic noise": Rational(9, 8)},
            because="a step size of at most 1/(2 L) leaves more of the descent than SGD's 1/L",
        ),
    ),
    limits=(),
    remarks=(
        "Nearly tight: as the step sizes go to 0 no proof can go below 1, 1/2, 1/4 and 1/4; see "
        "fedavg_nonconvex_partial_sharp, which has smaller step sizes and constants.",
        "The proof shows (tau - 1)^2/tau and (tau - 1)^2 where the drifts have tau - 1 and tau (tau - 1).",
        "No source states these constants; they stand on the proof alone.",
    ),
    errata=(),
    source=WANG_2020_FEDNOVA.at(
        "Theorem 1", note="The algorithm and the steps are the paper's; the proof and its constants are not."
    ),
    prose=__doc__,
)
