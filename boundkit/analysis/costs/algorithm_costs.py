"""Costs of the algorithms, one entry for each algorithm or variant, and of a theorem's algorithm."""

from __future__ import annotations

from sympy import Expr, S

from boundkit.algebra import Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import C, clusters, comp_keep, comp_noise, d, exchange, groups, m, tau
from boundkit.algebra.printing import plain
from boundkit.algebra.vocabulary import FULL_PARTICIPATION, ONE_LOCAL_STEP, WHOLE_GROUPS
from boundkit.analysis.costs.cost import Cost, Exchange, batch, candidates, chosen, samples

_PLAIN = chosen(tau)
_CONTROLS = "the server stores the mean control variate, each client its own"
_AVAILABLE = "C is the mean fraction of available clients"
_TRAINING = Exchange(clients=C * m, down=0, gradients=tau)  # a selected candidate has the model already

_COSTS = (
    # Homogeneous data, all m clients, as in a data centre
    Cost("minibatch_sgd", chosen(1, clients=m), note="a round is one step"),
    Cost("local_sgd", chosen(tau, clients=m)),
    Cost(
        "async_sgd",
        chosen(1, clients=1),
        note="a round is one update of the server by one client; no client waits for another",
    ),
    Cost(
        "overlap_sgd",
        chosen(tau, clients=m),
        server=d,
        client=2 * d,
        state="each client stores its own model and the anchor, the server the momentum of the anchor",
        note="the exchange overlaps with the computation, and takes no time of its own where it is shorter",
    ),
    Cost(
        "adacomm",
        chosen(tau, clients=m, up=d + 1),
        server=2,
        state="the server stores the first loss and the current tau",
        note="a client also sends the loss of its mini-batch, which sets the next tau; tau decreases",
    ),
    # Averaging: little or no state between rounds
    Cost("fedavg", _PLAIN, note="with server momentum the server stores d numbers"),
    Cost(
        "fedavg_replacement",
        _PLAIN,
        server=m,
        state="the server stores each client's weight, its sampling probability",
        note="C m counts draws; a client drawn twice may compute once, so this is the most a round costs",
    ),
    Cost(
        "fedavg_sampling",
        _PLAIN,
        server=m,
        state="the server stores each client's weight over its expected participation count",
        note="C m is the mean number of participating clients",
    ),
    Cost("fedavgm", _PLAIN, server=d, state="the server stores its momentum"),
    Cost(
        "accelerated_local_sgd",
        chosen(tau, clients=m),
        server=d,
        state="the server stores the mean of the last local models",
    ),
    Cost(
        "diloco",
        chosen(tau, clients=m),
        server=d,
        client=2 * d,
        state="the server stores its momentum, each client the two moments of AdamW",
        note="with SGD inside, a client stores d numbers, or none without momentum",
    ),
    Cost(
        "slowmo",
        chosen(tau, clients=m),
        server=d,
        state="the server stores its momentum",
        note="with momentum or AdamW inside, a client stores d or 2 d numbers",
    ),
    Cost(
        "fedcm",
        chosen(tau, down=2 * d),
        server=d,
        state="the server stores the mean direction of the last round",
        note="the direction is sent with the model",
    ),
    Cost("fedprox", _PLAIN, note="within a round each client also holds the server's model"),
    Cost(
        "fednova",
        chosen(tau, up=d + 1),
        note="a client also sends its number of steps, or the sum of its weights; its tau_i replaces tau",
    ),
    Cost("fedexp", _PLAIN, note="the server computes norms of the updates; nothing more is sent"),
    Cost(
        "fedadagrad",
        _PLAIN,
        server=d,
        state="the server stores the second moment of each parameter",
        note="with momentum the server stores another d numbers",
    ),
    Cost(
        "fedadam",
        _PLAIN,
        server=2 * d,
        state="the server stores the first and the second moment of each parameter",
        note="d numbers where beta1 = 0",
    ),
    Cost(
        "local_adaptive",
        _PLAIN,
        variant="none",
        note="moments are reset in every round, so that no state is stored",
    ),
    Cost("local_adaptive", _PLAIN, variant="local", note="clients precondition before they send"),
    Cost(
        "local_adaptive",
        chosen(tau, up=2 * d),
        variant="joint",
        note="a client also sends the inverse of its accumulated preconditioner, one number a parameter",
    ),
    Cost("cyclic_fedavg", _PLAIN, note="the C m clients are sampled from the active group"),
    Cost("fedavg_active", _PLAIN, note=_AVAILABLE),
    Cost("fedavg_all", _PLAIN, note=_AVAILABLE),
    Cost(
        "fedavg_known",
        _PLAIN,
        server=m,
        state="the server stores each client's availability",
        note=_AVAILABLE,
    ),
    Cost(
        "fedau",
        _PLAIN,
        client=3,
        state="each client stores its weight, the number of its intervals, and the length of the current one",
        note=_AVAILABLE + "; the server can store the 3 m numbers instead",
    ),
    # Correction by stored gradients, updates or models
    Cost(
        "scaffold",
        chosen(tau + 1, up=2 * d, down=2 * d),
        server=d,
        client=d,
        variant="I",
        state=_CONTROLS,
        note="the new control variate is one more gradient at the server's model",
    ),
    Cost(
        "scaffold",
        chosen(tau, up=2 * d, down=2 * d),
        server=d,
        client=d,
        variant="II",
        state=_CONTROLS,
        note="the new control variate follows from the local steps; starting it as gradients costs m of them",
    ),
    Cost(
        "vrlsgd",
        chosen(tau, clients=m),
        client=d,
        state="each client stores its correction",
        note="the correction follows from the mean model, at no communication; all clients participate",
    ),
    Cost(
        "robust_fedavg",
        _PLAIN,
        note="the clients are the honest ones; the server sorts the values of each coordinate",
    ),
    Cost(
        "dane",
        (Exchange(clients=m, gradients=1), Exchange(clients=S.One, gradients=1)),
        note="all clients send a gradient at the model, and one solves, which is counted as a gradient",
    ),
    Cost(
        "ef21",
        (Exchange(clients=m, up=comp_keep * d, gradients=1),),
        server=d,
        client=d,
        state="each client keeps its compressed gradient, the server their mean",
        note="a client also sends the places of the coordinates that it keeps",
    ),
    Cost(
        "dp_fedavg",
        _PLAIN,
        note="each client computes the norm of its update, and the server draws d normal numbers",
    ),
    Cost(
        "fedpaq",
        chosen(tau, up=d / (1 + comp_noise)),
        note="that is k numbers of d with the compressor rand_k, whose places may follow from a shared seed; "
        "qsgd sends a norm and d whole numbers of at most log2(2 levels + 1) bits",
    ),
    Cost(
        "gossip_sgd",
        (Exchange(clients=m, gradients=tau),),
        note="numbers down and up are those to and from one neighbour; there is no server, and each client "
        "keeps its model",
    ),
    Cost(
        "fedlin",
        (Exchange(clients=C * m, gradients=1), Exchange(clients=C * m, gradients=tau)),
        note="the clients first send a gradient at the model and wait for the mean; no state is kept",
    ),
    Cost(
        "feddyn",
        chosen(1),
        server=d,
        client=d,
        state="the server keeps the mean correction, each client its own",
        note="an exact minimiser is counted as one gradient",
    ),
    Cost(
        "scaffnew",
        (Exchange(clients=m, down=exchange * d, up=exchange * d, gradients=1),),
        client=2 * d,
        state="each client keeps its own model and its control",
        note="a round is one local step; the models are exchanged in a fraction exchange of the rounds",
    ),
    Cost(
        "fedvarp",
        chosen(tau),
        server=m * d,
        state="the server stores the last update of every client",
        note="the communication is that of FedAvg; clients are stateless",
    ),
    Cost(
        "clusterfedvarp",
        chosen(tau),
        server=clusters * d,
        state="the server stores one update a cluster",
        note="the communication is that of FedAvg; clients are stateless",
    ),
    Cost(
        "mifa",
        chosen(tau),
        server=m * d,
        once=(Exchange(clients=m, gradients=tau),),
        state="the server stores the last update of every client",
        note=_AVAILABLE + "; the server waits for one update of each client",
    ),
    Cost(
        "gap_reweighted",
        chosen(tau),
        client=1,
        state="each client stores the round in which it was last available",
        note=_AVAILABLE,
    ),
    Cost(
        "fedawe",
        chosen(tau),
        client=d + 1,
        state="each client stores its own model and the round in which it was last available",
        note=_AVAILABLE + "; the model is sent at the end of a round, to the clients of that round",
    ),
    # Selection by the loss (power-of-choice)
    Cost(
        "biased_selection",
        (Exchange(clients=candidates, up=1, losses=samples), _TRAINING),
        variant="pow-d",
        note="every candidate receives the model and evaluates its loss on all its data",
    ),
    Cost(
        "biased_selection",
        (Exchange(clients=candidates, up=1, losses=batch), _TRAINING),
        variant="cpow-d",
        note="every candidate receives the model and evaluates its loss on one mini-batch",
    ),
    Cost(
        "biased_selection",
        chosen(tau, up=d + 1),
        server=m,
        variant="rpow-d",
        state="the server stores the loss that each client last sent",
        note="a client also sends the mean of its mini-batch losses; no client evaluates a loss beforehand",
    ),
    # Clipping, for relaxed smoothness
    Cost(
        "episode",
        (Exchange(clients=m, gradients=1), Exchange(clients=m, gradients=tau)),
        note="all clients first send a new gradient and wait for the mean; no state is stored between rounds",
    ),
    Cost(
        "episodepp",
        chosen(tau, up=2 * d, down=2 * d),
        server=d,
        client=d,
        once=(Exchange(clients=m, gradients=1),),
        state="the server stores the mean correction, each client its own",
        note="before the first round all clients send a gradient at the first model",
    ),
    Cost(
        "celgc", chosen(tau, clients=m), note="each client clips by its own gradient; there is no correction"
    ),
    Cost(
        "clipped_minibatch_sgd",
        chosen(tau, clients=C * m),
        note="tau gradients at the server's model, one clipped step",
    ),
)

COSTS: dict[str, Cost] = {cost.name: cost for cost in _COSTS}
"""Every cost by the name of its algorithm, with the variant in brackets where there are several."""


def algorithms() -> tuple[str, ...]:
    """The algorithms with a cost, in the order of the tables.

    >>> "fedvarp" in algorithms()
    True
    """
    return tuple(dict.fromkeys(cost.algorithm for cost in COSTS.values()))


def costs_of(name: str) -> tuple[Cost, ...]:
    """The costs of an algorithm: one for each of its variants, or the one whose name is given.

    Raises BoundkitError for an unknown name, with near ones.

    >>> [cost.variant for cost in costs_of("scaffold")]
    ['I', 'II']
    """
    if name in COSTS:
        return (COSTS[name],)
    variants = tuple(cost for cost in COSTS.values() if cost.algorithm == name)
    if not variants:
        raise unknown("algorithm", name, [*algorithms(), *COSTS])
    return variants


_FIXED: tuple[tuple[str, Quantity, Expr], ...] = (
    (FULL_PARTICIPATION.name, C, S.One),
    (WHOLE_GROUPS.name, C, 1 / groups),
    (ONE_LOCAL_STEP.name, tau, S.One),
)
"""Assumptions that fix a quantity of the costs."""


def costs_of_theorem(theorem: Theorem) -> tuple[Cost, ...]:
    """The costs of a round: one for each variant of the method; none for an algorithm without a row.

    Raises BoundkitError where the theorem itself names an unknown algorithm.

    >>> from boundkit.theorems import theorem
    >>> [cost.label for cost in costs_of_theorem(theorem("fedavg_nonconvex"))]
    ['fedavg at C = 1']
    """
    if not theorem.costs and theorem.algorithm not in (*algorithms(), *COSTS):
        return ()
    values = {q: value for name, q, value in _FIXED if theorem.assumes(name)}
    return tuple(cost.at(values) for cost in costs_of(theorem.cost_row))


def costs_lines(theorem: Theorem) -> list[str]:
    """The costs of a theorem's method as sentences, one for each variant."""
    return [_line(cost) for cost in costs_of_theorem(theorem)]


def _line(cost: Cost) -> str:
    together = cost.round()
    all_down, all_up, all_gradients = (plain(together[key]) for key in ("down", "up", "gradients"))
    stored = f"the server stores {plain(cost.server)} numbers and a client {plain(cost.client)}"
    text = (
        f"{cost.label}: {plain(cost.clients)} clients participate; each receives {plain(cost.down)} numbers, "
        f"sends {plain(cost.up)} and computes {plain(cost.gradients)} gradients; together {all_down} down, "
        f"{all_up} up and {all_gradients} gradients; between rounds {stored}, in addition to the model."
    )
    more = "; ".join(filter(None, (cost.state, cost.note)))
    return f"{text} {more[0].upper()}{more[1:]}." if more else text
