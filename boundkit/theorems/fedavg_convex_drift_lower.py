r"""FedAvg on convex losses: what client drift alone costs, on one stiff client and many flat ones.

The fixed point is that of fedavg_strongly_convex_drift_lower, and its loss gap is half the mean curvature
$(L + (m - 1) mu)/m$ times the squared distance. For $mu$ far below $L/m$ the losses are merely convex.
"""

from boundkit.algebra.authoring import *

_FIRST = (1 - (1 - eta * L) ** tau) / (eta * L * tau)
_OTHERS = (1 - (1 - eta * mu) ** tau) / (eta * mu * tau)
_DISTANCE = m * (_OTHERS - _FIRST) * sigma_g / (((m - 1) * _OTHERS + _FIRST) * (L + (m - 1) * mu))

THEOREM = lower(
    "fedavg_convex_drift_lower",
    title="FedAvg, convex, client drift, lower bound",
    algorithm="fedavg",
    bounds=MEAN_LOSS_GAP,
    assumes=(
        SMOOTH,
        STRONGLY_CONVEX,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        ONE_STIFF_CLIENT,
    ),
    requires=(at_least(m, 2), at_most(mu, L)),
    steps=(at_most(eta, 1 / L), at_most(eta_s, 1)),
    terms=(
        derived(
            "client drift",
            (L + (m - 1) * mu) / (2 * m) * (m - 1) * _DISTANCE**2,
            "half the mean curvature times the squared distance of the fixed point, in every round",
        ),
    ),
    remarks=(
        "For flat clients, many of them, many local steps and short rounds it is (1/8) L eta^2 tau (tau - 1) "
        "sigma_g^2: no proof can give the client drift a constant below 1/8.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
