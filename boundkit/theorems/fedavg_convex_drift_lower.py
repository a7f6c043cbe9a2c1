r"""FedAvg on convex losses: what client drift alone costs, on one stiff client and many flat ones.

No term of an upper bound can be smaller than what one instance of its class shows. Here all other causes
of error are absent, and the run rests at its fixed point.

Proof. The run is that of fedavg_strongly_convex_drift_lower, and its loss gap is half the mean curvature
$(L + (m - 1) mu)/m$ times the squared distance. For $mu$ far below $L/m$ the losses are merely convex.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.fedavg_strongly_convex_drift_lower import THEOREM as STRONGLY_CONVEX_DRIFT

THEOREM = variant(
    STRONGLY_CONVEX_DRIFT,
    "fedavg_convex_drift_lower",
    title="FedAvg, convex, client drift, lower bound",
    bounds=MEAN_LOSS_GAP,
    terms=(
        derived(
            "client drift",
            STRONGLY_CONVEX_DRIFT.terms[0].expr * (L + (m - 1) * mu) / (2 * m),
            "1/2 of the mean curvature times the squared distance of the fixed point",
        ),
    ),
    remarks=(
        "No proof can give the client drift a constant below 1/8 for many clients and short rounds of many "
        "steps.",
    ),
    prose=__doc__,
)
