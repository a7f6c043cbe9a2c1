"""Crawshaw, Bao and Liu (2023): EPISODE++ and the lower bound under client sampling, in a talk."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum, Form

ERRATA = (
    Erratum(
        name="clipped_sgd_lower_bound",
        source=CRAWSHAW_2023_SUBSAMPLING.at("Theorem 2, in the scan of a talk"),
        text="talk",
        basis="units",
        printed=Form(
            ROUNDS_TO_TARGET,
            (order("initial gap", c_1 * gap * L1 * grad_max / target, "as the scan prints it"),),
            kind="lower",
        ),
        reason="A number of rounds has no unit, and Delta L1 M/epsilon is a gradient: the square of epsilon "
        "was lost.",
        corrected=Form(
            ROUNDS_TO_TARGET,
            (order("initial gap", c_1 * gap * L1 * grad_max / target**2, "no other power has the unit"),),
            kind="lower",
        ),
        consequence="The order is that of the explicit instances. The square may be lost in the scan, not on "
        "the slide.",
        theorems=("clipped_minibatch_sgd_relaxed_smooth_lower",),
        up_to="its constants and a logarithm",
    ),
    Erratum(
        name="episodepp_row",
        source=CRAWSHAW_2023_SUBSAMPLING.at("Theorem 1, in the scan of a talk"),
        text="talk",
        basis="contradiction",
        printed="gap L0 sigma^2, L0 + L1 (zeta + rho_zeta sigma) and the beginning of a bracket with sigma.",
        reason="No more of the row of the table is readable.",
        corrected="episodepp_relaxed_smooth has the readable order.",
        consequence="Constants and the rest of the bracket are unknown here.",
        theorems=("episodepp_relaxed_smooth",),
    ),
    Erratum(
        name="episodepp_listing",
        source=CRAWSHAW_2023_SUBSAMPLING.at("the listing of EPISODE++, in the scan of a talk"),
        text="talk",
        basis="contradiction",
        printed="The frames are headed EPISODE or EPISODE++ over the same lines; the loops end at unreadable "
        "symbols; line 15 divides by a symbol read as the number of participating clients.",
        reason="The lines are those of EPISODE++, and G is the mean of all G_i only if line 15 divides by "
        "all clients.",
        corrected="EPISODE++ on all frames, loops to tau - 1, and 1/m in line 15.",
        consequence="With the number of participating clients the mean of the corrections drifts.",
        theorems=("episodepp_relaxed_smooth",),
    ),
    Erratum(
        name="episodepp_clipping_branches",
        source=CRAWSHAW_2023_SUBSAMPLING.at("the listing of EPISODE++, the clipping rule"),
        text="talk",
        basis="contradiction",
        printed="Both branches of the rule hold where the norm is at the threshold.",
        reason="Then a client would take both steps.",
        corrected="The second comparison is strict, as in the released code.",
        consequence="None where the norm differs from the threshold.",
        theorems=("episodepp_relaxed_smooth",),
    ),
)
