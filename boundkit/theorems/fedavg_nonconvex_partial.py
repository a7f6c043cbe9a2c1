r"""FedAvg on smooth non-convex losses, partial participation, with client and server step sizes.

Five terms. To those of full participation is added the sampling error (partial participation), which
averaging over local steps does not reduce. It falls with $C m$, vanishes at $C = 1$, and grows with the
length $eta_s eta tau$ of a round, because a round moves towards the optimum of the sampled clients.

Initial gap, noise and participation depend on the product of the two step sizes, the drifts on the client
step size alone. A small $eta$ with a large $eta_s$ therefore removes the drift.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedavg_nonconvex_partial",
    title="FedAvg, non-convex, partial participation, as published",
    algorithm="fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, *SAMPLED_CLIENTS),
    requires=(at_least(m, 2),),
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(eta_s * eta, 1 / (24 * L * tau))),
    terms=(
        appendix(
            "initial gap",
            4 * gap / (eta_s * eta * tau * T),
            "1/4 of the squared gradient a round survives the descent",
        ),
        appendix(
            "stochastic noise",
            4 * eta_s * eta * L * sigma**2 / (C * m),
            "the noise is averaged over C m clients, times 4",
        ),
        appendix(
            "noise drift",
            8 * eta**2 * L**2 * (tau - 1) * sigma**2,
            "8 = 4 times the drift's 2; its weight in the descent, 5/8, counts as 1",
        ),
        appendix(
            "partial participation",
            12 * eta_s * eta * tau * L * (1 - C) / (C * (m - 1)) * sigma_g**2,
            "the exact variance q/(C m) of sampling without replacement, 3 from Young, times 4",
        ),
        appendix(
            "client drift",
            32 * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "32 = 4 times the drift's 8; its weight in the descent, 5/8, counts as 1",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            {C: 1, eta_s: 1},
            factors={"noise drift": Rational(4, 3), "client drift": Rational(8, 3)},
            because="at C = 1 all clients participate; the drift constants 8 and 32 are weaker than 6 and 12",
        ),
        not_to(
            "fedavg_nonconvex",
            {C: 1, eta_s: 1},
            because="the drift constants differ: 8 and 32 here, 6 and 12 there",
        ),
        to("sgd_nonconvex", {C: 1, eta_s: 1, tau: 1}, factors={"initial gap": 2, "stochastic noise": 4}),
        to(
            "sgd_nonconvex",
            {eta_s: 1, tau: 1},
            factors={"initial gap": 2, "stochastic noise": 4 / C},
            leaves=("partial participation",),
            because="one local step does not remove the sampling error",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "noise drift",
            "client drift",
            "partial participation",
            because="the sampling error does not depend on local steps",
        ),
    ),
    remarks=(
        "Smaller constants, 13/10, 4/5, 1, 3/4 and 1/2 for 4, 4, 8, 12 and 32: "
        "fedavg_nonconvex_partial_sharp.",
        "The rate 1/sqrt(C m tau T) + sqrt(tau/(C m T)) + 1/T needs two step sizes, eta = 1/(sqrt(T) tau L) "
        "and eta_s = sqrt(tau C m), and T >= max(64, 576 C m tau).",
        "For fixed T there is no best pair of step sizes: the bound falls as eta goes to 0 at a fixed "
        "product eta_s eta.",
        "With one step size the drift cannot be removed: eta = sqrt(C m/(tau T))/L leaves a client drift of "
        "32 C m (tau - 1) sigma_g^2/T, and talks that print the three-term rate under the one-step bound "
        "omit the second step size.",
        "The source divides a client's update by eta tau; here it is not divided.",
    ),
    source=JHUNJHUNWALA_2022.at(
        "Theorem 1", note="O(.) in the main text, the constants 4, 4, 8, 12, 32 in the supplement."
    ),
    prose=__doc__,
)
