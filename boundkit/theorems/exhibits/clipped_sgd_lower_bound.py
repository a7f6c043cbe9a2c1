r"""The lower bound of clipped minibatch SGD under sampling, as the scan of a talk prints it.

Rounds have no unit, and Delta L_1 M/epsilon has that of a gradient. Delta L_1 M/epsilon^2 has none, and it is
the order of the explicit instances, up to a logarithm. The scan is poor ("R>0 (AL;M)" over a euro sign), so
that the square may be lost in the scan and not wrong on the slide.
"""

from boundkit.algebra import Source, Term
from boundkit.algebra.exhibit import Exhibit, Form
from boundkit.algebra.notation import L1, c_1, gap, grad_max, target
from boundkit.algebra.notation import T as ROUNDS
from boundkit.algebra.vocabulary import ROUNDS_TO_TARGET

EXHIBIT = Exhibit(
    name="clipped_sgd_lower_bound",
    algorithm="clipped_minibatch_sgd",
    claim=ROUNDS_TO_TARGET,
    printed=Form(
        terms=(
            Term("initial gap", c_1 * gap * L1 * grad_max / target, "order", because="as the scan prints it"),
        )
    ),
    repaired=Form(
        terms=(
            Term(
                "initial gap", c_1 * gap * L1 * grad_max / target**2, "order", because="no other power fits"
            ),
        )
    ),
    kind="lower",
    states="clipped_minibatch_sgd_relaxed_smooth_lower",
    up_to="its constants and a logarithm",
    lost="The square of epsilon was lost: 1/epsilon^2 is the only power that leaves no unit.",
    doubt="The square may be lost in the scan, not wrong on the slide.",
    source=Source(
        authors=("Crawshaw", "Bao", "Liu"),
        year=2023,
        title="Federated Learning with Client Subsampling, Data Heterogeneity, and Unbounded Smoothness",
        venue="NeurIPS 2023",
        arxiv="",
        where="Theorem 2, in the scan of a talk",
        renamed={"R": ROUNDS, "Delta": gap, "M": grad_max, "epsilon": target},
    ),
    prose=__doc__,
)
