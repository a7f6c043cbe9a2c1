"""Costs of methods that average what clients send: FedAvg and its kin, who remember little or nothing."""

from __future__ import annotations

from boundkit.algebra.notation import d, m, tau
from boundkit.analysis.costs.cost import Cost, chosen

_PLAIN = chosen(tau)
_THERE = "C is the mean share of the clients that are there"

COSTS = (
    Cost("fedavg", _PLAIN, note="with server momentum the server keeps d numbers"),
    Cost(
        "fedavg_replacement",
        _PLAIN,
        server=m,
        state="the server knows each client's weight, its chance at a draw",
        note="C m counts draws; a client drawn twice may compute once, so this is the most a round costs",
    ),
    Cost("fedprox", _PLAIN, note="inside a round each client also holds the model it came with"),
    Cost(
        "fednova",
        chosen(tau, up=d + 1),
        note="a client adds its number of steps, or the sum of its weights; a client's own tau_i is its tau",
    ),
    Cost("fedexp", _PLAIN, note="the server takes the norms of what it gets; nothing more is sent"),
    Cost(
        "fedadagrad",
        _PLAIN,
        server=d,
        state="the server keeps the second moment of each parameter",
        note="with momentum the server keeps another d numbers",
    ),
    Cost(
        "fedadam",
        _PLAIN,
        server=2 * d,
        state="the server keeps the first and the second moment of each parameter",
        note="d numbers where beta1 = 0",
    ),
    Cost(
        "local_adaptive",
        _PLAIN,
        variant="none",
        note="moments are restarted every round, so nothing outlives it",
    ),
    Cost("local_adaptive", _PLAIN, variant="local", note="clients divide before they send"),
    Cost(
        "local_adaptive",
        chosen(tau, up=2 * d),
        variant="joint",
        note="a client adds the inverse of its accumulated preconditioner, one number a parameter",
    ),
    Cost("cyclic_fedavg", _PLAIN, note="the C m clients come from the group whose turn it is"),
    Cost("fedavg_active", _PLAIN, note=_THERE),
    Cost("fedavg_all", _PLAIN, note=_THERE),
    Cost(
        "fedavg_known",
        _PLAIN,
        server=m,
        state="the server knows each client's chance to be there",
        note=_THERE,
    ),
    Cost(
        "fedau",
        _PLAIN,
        client=3,
        state="each client keeps its weight, the number of its intervals, and the length of the open one",
        note=_THERE + "; the server can keep the 3 m numbers instead",
    ),
)
