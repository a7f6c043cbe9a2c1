"""One participation of each kind and variant, and a selection context, for tests of all."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from boundkit.simulation.arrays import Clients
from boundkit.simulation.participation import (
    Participants,
    Participation,
    Schedule,
    SelectionContext,
    participation,
)
from boundkit.simulation.random_streams import Streams

M = 6
P = np.array([0.3, 0.25, 0.2, 0.15, 0.1, 0.0])
RARE = [0.9, 0.5, 0.2, 0.05, 1.0, 0.0]

SPECS: dict[str, dict[str, Any]] = {
    "full": {"kind": "full"},
    "uniform": {"kind": "uniform", "C": 0.5},
    "uniform all": {"kind": "uniform", "C": 1},
    "with replacement": {"kind": "with_replacement", "count": 4},
    "with replacement, other chances": {
        "kind": "with_replacement",
        "count": 3,
        "probabilities": [0.1, 0.1, 0.1, 0.1, 0.1, 0.5],
    },
    "blocks": {"kind": "cyclic", "groups": 3},
    "groups": {"kind": "cyclic", "groups": [[5, 0], [1, 2, 3, 4]]},
    "groups in part": {"kind": "cyclic", "groups": [[5, 0], [1, 2, 3, 4]], "count": 2},
    "shuffled groups": {"kind": "cyclic", "groups": [[5, 0], [1, 2, 3, 4]], "count": 2, "shuffle": True},
    "pow-d": {"kind": "power_of_choice", "count": 2, "d": 3},
    "cpow-d": {"kind": "power_of_choice", "count": 2, "d": 4, "variant": "cpow", "batch": 8},
    "rpow-d": {"kind": "power_of_choice", "count": 2, "d": 4, "variant": "rpow"},
    "adapow-d": {"kind": "power_of_choice", "count": 1, "d": [5, 3, 1], "every": 2},
    "lowest": {"kind": "power_of_choice", "count": 2, "d": 4, "lowest": True},
    "bernoulli": {"kind": "bernoulli", "probabilities": RARE},
    "one chance": {"kind": "bernoulli", "probabilities": 0.3},
    "drawn chances": {"kind": "bernoulli", "probabilities": {"dirichlet": 0.1, "rule": "fedau", "seed": 3}},
    "staircase": {"kind": "bernoulli", "probabilities": RARE, "dynamics": "staircase", "period": 5},
    "sine": {"kind": "bernoulli", "probabilities": RARE, "dynamics": "sine"},
    "interleaved": {"kind": "bernoulli", "probabilities": RARE, "dynamics": "interleaved_sine", "cut": 0.4},
    "together": {"kind": "together", "probability": 0.4},
    "markov": {"kind": "markov", "probabilities": RARE, "switch_on": 0.3},
}
CLOSED_FORM = [
    name
    for name, spec in SPECS.items()
    if spec["kind"] not in ("power_of_choice", "markov") and not spec.get("shuffle")
]


def made(name: str) -> Participation:
    return participation(SPECS[name], M, P)


def everyone() -> list[Participation]:
    return [*map(made, SPECS), Schedule(M, [[0, 3], [], [5]])]


def context(replicas: int, first: int = 0) -> SelectionContext:
    """Losses that are the same for a replica in any chunk, and noise on them that depends on the batch."""
    losses = np.stack([np.random.default_rng(r).random(M) for r in range(first, first + replicas)])
    heard = np.where(losses > 0.7, np.inf, losses)
    return SelectionContext(lambda: losses, lambda batch: losses[:, ::-1] / batch, heard)


def rounds(
    who: Participation, seed: int, replicas: int, first: int = 0, T: int = 12
) -> Iterator[Participants]:
    streams, looking = Streams(seed, replicas, first), context(replicas, first)
    for t in range(T):
        yield who.draw(t, streams, looking)


def came(here: Participants, replicas: int, m: int = M) -> Clients:
    """How often each of all clients came, (R, m)."""
    clients = np.broadcast_to(here.clients, (replicas, here.clients.shape[-1]))
    counts = np.ones_like(clients) if here.counts is None else np.broadcast_to(here.counts, clients.shape)
    out = np.zeros((replicas, m), dtype=np.intp)
    np.add.at(out, (np.arange(replicas)[:, None], clients), counts)
    return out
