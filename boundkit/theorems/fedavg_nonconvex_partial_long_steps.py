r"""FedAvg on smooth non-convex losses, partial participation, at up to 24 times the paper's step size.

The terms and assumptions are those of fedavg_nonconvex_partial. The client step size may be twice as large,
and the product of the two 24 times: as large as for gradient descent, $eta_s eta tau = 1/L$. Every constant
is smaller nevertheless.

Proof. As for fedavg_nonconvex_partial_sharp, in its notation, with constants for larger step sizes.
(i) For $eta L tau <= 1/4$: $Var x_i^k <= 4/3 eta^2 k sigma^2$, and $Var d_i <= 4/3 sigma^2/tau$.
(ii) The mean of $x_i^k$ moves by at most $8/7 eta k ||grad F_i|| + 3/14 eta sqrt(k) sigma$, and $r_k^2 <=
eta^2 (3/2 k^2 ||grad F_i||^2 + 17/10 k sigma^2)$.
(iii) $||e_i||^2 <= eta^2 L^2 (tau - 1)^2 (3/8 ||grad F_i||^2 + 17/20 sigma^2/tau)$.
(iv) $mean_i ||a_i - a||^2 <= 5/4 sigma_g^2 + 5 mean_i ||e_i||^2$.
(v) With $c = s L <= 1$ and $<grad F, e> <= 2/5 ||grad F||^2 + 5/8 ||e||^2$, the squared gradient keeps $3/5 -
c/10 - (1/16)(3/8)(5/8 - c/8 + 5/2 c)$, which is more than $3/7$; $||e||^2$ weighs $5/8 - c/8$. The $5 mean_i
||e_i||^2$ join the noise and the participation, as $17/64 sigma^2/tau$ and $15/128 sigma_g^2$. Telescope, and
divide by what is left; each quotient is monotone in $c$, so that $c = 0$ and $c = 1$ decide.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial import THEOREM as PAPER

THEOREM = variant(
    PAPER,
    "fedavg_nonconvex_partial_long_steps",
    title="FedAvg, non-convex, partial participation, larger step sizes",
    steps=(at_most(eta, 1 / (4 * L * tau)), at_most(eta_s * eta, 1 / (L * tau))),
    terms=(
        derived(
            "initial gap",
            Rational(7, 3) * gap / (eta_s * eta * tau * T),
            "3/7 of the squared gradient a round survives by (v)",
        ),
        derived(
            "stochastic noise",
            Rational(15, 8) * eta_s * eta * L * sigma**2 / (C * m),
            "(4/3 + 17/64)/2 by (i) and (v), over what is left, rounded up",
        ),
        derived(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2,
            "17/20 by (iii) times at most 5/8 - c/8, over what is left, rounded up; and tau - 1 for (tau - "
            "1)^2/tau",
        ),
        derived(
            "partial participation",
            Rational(8, 5) * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "(5/4 + 15/128)/2 by (iv) and (v), over what is left, rounded up",
        ),
        derived(
            "client drift",
            Rational(7, 16) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "3/8 by (iii), otherwise as the noise drift; and tau (tau - 1) for (tau - 1)^2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial",
            factors={
                "initial gap": Rational(7, 12),
                "stochastic noise": Rational(15, 32),
                "noise drift": Rational(1, 8),
                "partial participation": Rational(2, 15),
                "client drift": Rational(7, 512),
            },
            because="the same terms; other step sizes and another proof",
        ),
        to(
            "sgd_nonconvex",
            {C: 1, eta_s: 1, tau: 1},
            factors={"initial gap": Rational(7, 6), "stochastic noise": Rational(15, 8)},
            because="the step size is SGD's; 7/6 and 15/8 come from the bound on the drift",
        ),
    ),
    remarks=(
        "At the largest step sizes the initial gap term is a 41st of that of fedavg_nonconvex_partial: 24 "
        "times the step size, and 7/3 for 4.",
        "At small step sizes fedavg_nonconvex_partial_sharp is better, since its constants are smaller.",
        "The condition eta_s eta tau L <= 1 is also that of the usual proof of gradient descent; descent "
        "itself ends at 2.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 1", note="The algorithm is the paper's; the steps, the proof and its constants are not."
    ),
    prose=__doc__,
)
