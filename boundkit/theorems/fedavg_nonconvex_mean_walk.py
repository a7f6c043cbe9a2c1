r"""FedAvg on smooth non-convex losses, full participation, with the drift averaged over local steps.

The bound of fedavg_nonconvex under the same assumptions and step sizes, with smaller constants throughout.
Local step $k$ depends on $k$ gradients, not on $tau$: the mean distance is a fraction of the largest, so the
drift uses less of the descent.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_nonconvex import THEOREM as FULL

THEOREM = variant(
    FULL,
    "fedavg_nonconvex_mean_walk",
    title="FedAvg, non-convex, drift averaged over local steps",
    terms=(
        derived(
            "initial gap",
            Rational(7, 3) * gap / (eta * tau * T),
            "of the 1/2 that the descent leaves, the drift takes 1/15, and 13/30 is more than 3/7",
        ),
        derived(
            "stochastic noise",
            Rational(7, 3) * eta * L * sigma**2 / m,
            "eta L sigma^2/m a round by the descent, independent across clients, times 7/3",
        ),
        derived(
            "noise drift",
            Rational(7, 5) * eta**2 * L**2 * (tau - 1) * sigma**2,
            "7/5 = (7/3) (1/2) (6/5): Young's 1/2, and 1/(1 - 1/6)",
        ),
        derived(
            "client drift",
            Rational(14, 15) * eta**2 * L**2 * (tau - 1) * (2 * tau - 1) * sigma_g**2,
            "14/15 = (7/3) (1/2) (6/5) (2/3): as the noise drift, with the drift's 2/3",
        ),
    ),
    becomes=(
        to(
            "fedavg_nonconvex",
            factors={
                "initial gap": Rational(7, 12),
                "stochastic noise": Rational(7, 12),
                "noise drift": Rational(7, 30),
                "client drift": Rational(7, 90) * (2 * tau - 1) / tau,
            },
            because="no term is larger than there, at the same step sizes",
        ),
        to(
            "sgd_nonconvex",
            {tau: 1},
            factors={"initial gap": Rational(7, 6), "stochastic noise": Rational(7, 3)},
            because="at tau = 1 FedAvg is minibatch SGD; 7/3 comes from the bound on the drift",
        ),
    ),
    limits=(),
    remarks=(
        "For long rounds the client drift is 28/15 tau^2 instead of 12 tau^2, a factor of 6.4.",
        "No source states these constants; they stand on the proof alone.",
    ),
    prose=__doc__,
)
