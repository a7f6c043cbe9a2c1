"""Costs of methods in which all m clients work on alike data, as in a data centre."""

from __future__ import annotations

from boundkit.algebra.notation import d, m, tau
from boundkit.analysis.costs.cost import Cost, chosen

COSTS = (
    Cost("minibatch_sgd", chosen(1, clients=m), note="a round is one step"),
    Cost("local_sgd", chosen(tau, clients=m)),
    Cost(
        "async_sgd",
        chosen(1, clients=1),
        note="a round is one update of the server by one client; it waits for nobody",
    ),
    Cost(
        "overlap_sgd",
        chosen(tau, clients=m),
        server=d,
        client=2 * d,
        state="each client keeps its own model and the anchor, the server the momentum of the anchor",
        note="the exchange runs while clients compute, so it costs no time where it is shorter",
    ),
    Cost(
        "adacomm",
        chosen(tau, clients=m, up=d + 1),
        server=2,
        state="the server keeps the first loss and the present tau",
        note="a client adds the loss of its mini-batch, from which the next tau is set; tau falls on the way",
    ),
)
