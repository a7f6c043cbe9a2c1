"""By the steps for non-convex losses: a round contracts by 1 - 2 mu_pl s times the share that they leave."""

from dataclasses import replace

from boundkit.algebra.notation import L, mu_pl, tau
from boundkit.proofs.authoring import *
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import LARGER as NONCONVEX
from boundkit.proofs.certificates.fedavg_nonconvex_sharp import c, s, share_left
from boundkit.theorems.fedavg_pl import THEOREM

w = Rational(1, 4) - c / (20 * tau)
r = coordinate("r", mu_pl / L, 0, 1, positive=True)
CHARTS = tuple(
    replace(chart, coordinates=(*chart.coordinates, r), values={**chart.values, mu_pl: r.symbol * L})
    for chart in NONCONVEX.charts
)

PROOF = (
    NONCONVEX.of(THEOREM, charts=CHARTS, contraction=2 * mu_pl * s * share_left(w, Rational(3, 8)))
    .replaced(
        "descent",
        step("loss after the round", LOSS_AFTER, removes=next_loss_gap),
        step("descent", DESCENT, removes=decrease),
    )
    .changed("error against gradient", {"w": w})
    .changed("error of a client", {"y": Rational(4, 25), "p": Rational(363, 1000), "q": Rational(3, 4)})
    .replaced("telescoping", step("Polyak-Lojasiewicz", POLYAK_LOJASIEWICZ, removes=square(g.mean)))
)
