"""Costs of clipped methods for relaxed smoothness."""

from __future__ import annotations

from boundkit.algebra.notation import C, d, m, tau
from boundkit.analysis.costs.cost import Cost, Exchange, chosen

COSTS = (
    Cost(
        "episode",
        (Exchange(clients=m, gradients=1), Exchange(clients=m, gradients=tau)),
        note="all clients send a fresh gradient first and wait for the mean; nothing outlives a round",
    ),
    Cost(
        "episodepp",
        chosen(tau, up=2 * d, down=2 * d),
        server=d,
        client=d,
        once=(Exchange(clients=m, gradients=1),),
        state="the server keeps the mean correction, each client its own",
        note="before the first round all clients send a gradient at the first model",
    ),
    Cost("celgc", chosen(tau, clients=m), note="each client clips by its own gradient; nothing is corrected"),
    Cost(
        "clipped_minibatch_sgd",
        chosen(tau, clients=C * m),
        note="tau gradients at the server's model, one clipped step",
    ),
)
