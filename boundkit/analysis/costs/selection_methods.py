"""Costs of power-of-choice: the clients with the largest losses take part, so losses must be known."""

from __future__ import annotations

from boundkit.algebra.notation import C, d, m, tau
from boundkit.analysis.costs.cost import Cost, Exchange, chosen
from boundkit.analysis.costs.notation import batch, candidates, samples

_TRAIN = Exchange(clients=C * m, down=0, gradients=tau)  # who is chosen was asked, and has the model

COSTS = (
    Cost(
        "biased_selection",
        (Exchange(clients=candidates, up=1, losses=samples), _TRAIN),
        variant="pow-d",
        note="every candidate gets the model and evaluates its loss on all its data",
    ),
    Cost(
        "biased_selection",
        (Exchange(clients=candidates, up=1, losses=batch), _TRAIN),
        variant="cpow-d",
        note="every candidate gets the model and evaluates its loss on one mini-batch",
    ),
    Cost(
        "biased_selection",
        chosen(tau, up=d + 1),
        server=m,
        variant="rpow-d",
        state="the server keeps the loss that each client last sent",
        note="a client adds the mean of its mini-batch losses, which it has; nobody is asked beforehand",
    ),
)
