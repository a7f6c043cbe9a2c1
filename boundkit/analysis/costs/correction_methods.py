"""Costs of methods that correct with what they remember: controls, last updates, own models."""

from __future__ import annotations

from boundkit.algebra.notation import clusters, d, m, tau
from boundkit.analysis.costs.cost import Cost, Exchange, chosen

_CONTROLS = "the server keeps the mean control, each client its own"
_THERE = "C is the mean share of the clients that are there"

COSTS = (
    Cost(
        "scaffold",
        chosen(tau + 1, up=2 * d, down=2 * d),
        server=d,
        client=d,
        variant="I",
        state=_CONTROLS,
        note="the new control is one more gradient at the server's model",
    ),
    Cost(
        "scaffold",
        chosen(tau, up=2 * d, down=2 * d),
        server=d,
        client=d,
        variant="II",
        state=_CONTROLS,
        note="the new control is read off the local steps; controls that start as gradients cost m of them",
    ),
    Cost(
        "vrlsgd",
        chosen(tau, clients=m),
        client=d,
        state="each client keeps its correction",
        note="the correction is read off the mean model, so nothing more is sent; all clients take part",
    ),
    Cost(
        "fedvarp",
        chosen(tau),
        server=m * d,
        state="the server keeps the last update of every client",
        note="nothing more is sent than in FedAvg; clients remember nothing",
    ),
    Cost(
        "clusterfedvarp",
        chosen(tau),
        server=clusters * d,
        state="the server keeps one update a cluster",
        note="nothing more is sent than in FedAvg; clients remember nothing",
    ),
    Cost(
        "mifa",
        chosen(tau),
        server=m * d,
        once=(Exchange(clients=m, gradients=tau),),
        state="the server keeps the last update of every client",
        note=_THERE + "; the server waits until it has heard each client once",
    ),
    Cost(
        "gap_reweighted",
        chosen(tau),
        client=1,
        state="each client keeps the round in which it was last there",
        note=_THERE,
    ),
    Cost(
        "fedawe",
        chosen(tau),
        client=d + 1,
        state="each client keeps its own model and the round in which it was last there",
        note=_THERE + "; the model is sent at the end of a round, to those who were there",
    ),
)
