"""FedAvg with momentum at the server, smooth non-convex losses, partial participation.

The five terms of fedavg_nonconvex_partial_sharp with $eta_hat = eta_s/(1 - beta_s)$ in place of $eta_s$;
the constants of gap, noise and participation are a little larger. Here $gamma = beta_s (1 - n (1 -
beta_s))$: $beta_s$ for heavy ball ($n = 0$), $beta_s^2$ for Nesterov's method ($n = 1$). The bound says that
momentum does no harm at the same $eta_hat$; it never says that momentum helps.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex_partial_sharp import THEOREM as PLAIN

gamma = beta_s * (1 - nesterov * (1 - beta_s))
length = 1 + 3 * gamma / (1 - beta_s)
eta_hat = eta_s / (1 - beta_s)

THEOREM = variant(
    PLAIN,
    "fedavgm_nonconvex_partial",
    title="FedAvg with server momentum, non-convex, partial participation",
    algorithm="fedavgm",
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_hat * length * eta, 1 / (24 * L * tau))),
    terms=(
        derived(
            "initial gap",
            Rational(33, 25) * gap / (eta_hat * eta * tau * T),
            "25/33 of the squared gradient is left; the auxiliary sequence starts at x_0",
        ),
        derived(
            "stochastic noise",
            Rational(4, 5) * eta_hat * eta * L * sigma**2 / (C * m),
            "33/25 times c_2/(2 s L), and the errors of the clients, rounded up",
        ),
        derived(
            "noise drift",
            Rational(17, 20) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "as without momentum: the drift is inside a round",
        ),
        derived(
            "partial participation",
            Rational(3, 4) * eta_hat * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "33/25 times c_2/(2 s L), times 51/50 for the dispersion of the directions, rounded up",
        ),
        derived(
            "client drift",
            Rational(9, 20) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "as without momentum: the drift is inside a round",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex_partial_sharp",
            {beta_s: 0},
            factors={
                "initial gap": Rational(66, 65),
                "stochastic noise": Rational(16, 15),
                "partial participation": Rational(9, 8),
            },
            because="without momentum z is x",
        ),
    ),
    remarks=(
        "The factor (1 - beta_s)^2 in the largest step is needed, up to a factor of 4: on quadratics any "
        "bound whose constant of the gap is at most 32/15 has it.",
        "Server momentum does not move the fixed points of FedAvg, so it removes neither drift nor bias.",
        "Under Nesterov's method x_t is the point at which pseudo-gradients are taken: the parameters of a "
        "framework.",
    ),
    source=HSU_2019.at(
        "Section 4",
        note="The algorithm, recalled. The bound, its conditions and its proof are not the paper's.",
    ),
    prose=__doc__,
)
