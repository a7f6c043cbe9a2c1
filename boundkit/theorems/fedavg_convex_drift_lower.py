r"""FedAvg on convex losses: what client drift alone costs, on one stiff client and many flat ones.

No term of an upper bound can be smaller than what one instance of its class shows. Here all other causes
of error are absent, and the run rests at its fixed point.

Proof. The run is that of fedavg_strongly_convex_drift_lower, and its loss gap is half the mean curvature
$(L + (m - 1) mu)/m$ times the squared distance. For $mu$ far below $L/m$ the losses are merely convex.
"""

from boundkit.algebra.authoring import *

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
    requires=(at_least(m, 2), at_most(mu, L / 2)),
    steps=(at_most(eta, 1 / (L * tau)), at_most(eta_s, 1)),
    terms=(
        derived(
            "client drift",
            (m - 1)
            * eta**2
            * (tau - 1) ** 2
            * (L - mu - eta * L**2 * tau / 3) ** 2
            * sigma_g**2
            / (8 * m * (L + (m - 1) * mu)),
            "1/2 of the mean curvature times the squared distance of the fixed point",
        ),
    ),
    remarks=(
        "No proof can give the client drift a constant below 1/8 for many clients and short rounds of many "
        "steps.",
    ),
    source=GLASGOW_2022.at(
        "lower bounds for convex losses (rate)", note="The instance and its constants are derived here."
    ),
    prose=__doc__,
)
