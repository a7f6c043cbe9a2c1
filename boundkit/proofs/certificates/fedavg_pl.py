"""By the steps for non-convex losses: a round contracts by 1 - 2 mu_pl s times the share that they leave."""

from dataclasses import replace

from boundkit.algebra.notation import L, mu_pl
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import PROOF as NONCONVEX
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import s, share
from boundkit.theorems.fedavg_pl import THEOREM

r = coordinate("r", mu_pl / L, 0, 1, positive=True)
CHARTS = tuple(
    replace(chart, coordinates=(*chart.coordinates, r), values={**chart.values, mu_pl: r.symbol * L})
    for chart in NONCONVEX.charts
)

PROOF = (
    NONCONVEX.of(THEOREM, charts=CHARTS, contraction=2 * mu_pl * s * share)
    .replaced(
        "descent",
        step("loss after the round", LOSS_AFTER, removes=next_loss_gap),
        step("descent", DESCENT, removes=decrease),
    )
    .changed("error of a client", {"y": Rational(4, 25), "p": Rational(363, 1000), "q": Rational(3, 4)})
    .replaced("telescoping", step("Polyak-Lojasiewicz", POLYAK_LOJASIEWICZ, removes=square(g.mean)))
)
