r"""FedExP on smooth non-convex losses, all clients, full gradients.

As for convex losses: the initial gap is divided by the sum of the server step sizes, and heterogeneity leaves
an error floor of order $eta tau$, besides the drift of order $eta^2$ that FedAvg has too. The mean of the
squared gradients weighs each round by its server step size.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedexp_convex import THEOREM as CONVEX_THEOREM

THEOREM = upper(
    "fedexp_nonconvex",
    title="FedExP, non-convex, full gradients",
    algorithm="fedexp",
    bounds=WEIGHTED_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        ADAPTIVE_SERVER_STEP,
    ),
    steps=CONVEX_THEOREM.step_size,
    terms=(
        derived(
            "initial gap",
            Rational(10, 3) * gap / (eta_s_mean * eta * tau * T),
            "10/3 = 1/(3/10): of the squared gradient 3/10 survives",
        ),
        derived(
            "client drift",
            Rational(10, 3) * eta * tau * L * sigma_g**2,
            "the mean squared update costs eta L tau sigma_g^2, over 3/10",
            label="update dissimilarity",
        ),
        derived(
            "client drift",
            Rational(10, 9) * eta**2 * L**2 * tau * (tau - 1) * sigma_g**2,
            "10/9 = (1/2 + 1/6) (1/2) (10/3): the local drift weighs 1/2 + 1/6, and is 1/2",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            {eta_s_mean: 1, sigma: 0},
            factors={"initial gap": Rational(5, 6), "client drift": Rational(5, 54)},
            leaves=("update dissimilarity",),
            because="with server step size 1 it is FedAvg with full gradients; the error floor of the unlike "
            "updates is due to the proof, not to FedAvg",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "update dissimilarity",
            "client drift",
            because="one local step removes the drift, but not the error floor of the heterogeneous updates",
        ),
    ),
    remarks=(
        "The mean eta_s_mean of eta_s over the rounds is known from a run only.",
        "At eta_s = 1 its drift is smaller than that of fedavg_nonconvex, but at every allowed step size the "
        "error floor costs more than that saves.",
        "The source gives the three terms as O(.), and the least squared gradient instead of the mean.",
    ),
    source=JHUNJHUNWALA_2023.at(
        "Theorem 2", note="O(.) in the source; the constants are those of its certificate."
    ),
    prose=__doc__,
)
