"""By the steps for convex losses: a round contracts by 1 - 2 mu_pl s times the share that they leave."""

from dataclasses import replace

from boundkit.algebra.notation import L, mu_pl
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedlin_convex import PROOF as CONVEX_CASE
from boundkit.proofs.certificates.fedlin_convex import remaining, s
from boundkit.theorems.fedlin_strongly_convex import THEOREM

(chart,) = CONVEX_CASE.charts
r = coordinate("q", mu_pl / L, 0, 1, positive=True)

PROOF = (
    CONVEX_CASE.of(
        THEOREM,
        charts=(
            replace(chart, coordinates=(*chart.coordinates, r), values={**chart.values, mu_pl: r.symbol * L}),
        ),
        contraction=2 * mu_pl * s * remaining,
    )
    .replaced(
        "descent",
        step("loss after the round", LOSS_AFTER, removes=next_loss_gap),
        step("descent", MEAN_GRADIENT_DESCENT, removes=decrease),
    )
    .replaced("telescoping", step("Polyak-Lojasiewicz", POLYAK_LOJASIEWICZ, removes=square(g.mean)))
)
