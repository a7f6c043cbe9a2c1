"""The collapsed engine: tau local steps as one affine map with one noise draw, exact in distribution.

The server's iterates have exactly the distribution of the step engine's; the cost is one step per client and
round for any number of local steps. Iterates inside a round are not available.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Round, State
from boundkit.simulation.arrays import AnyArray, array_namespace, as_like
from boundkit.simulation.engines.affine_rounds import AffineRounds
from boundkit.simulation.engines.grouped_products import PairsByClient
from boundkit.simulation.engines.sampled_engine import SampledEngine
from boundkit.simulation.participation import Participants
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run


class CollapsedEngine(SampledEngine):
    """Affine client maps on batches of replicas.

    Raises BoundkitError where the problem is not quadratic, or its noise is not normal: the sum of such
    noise has another distribution.
    """

    name = "collapsed"

    least_chunk = 256  # one pass over the clients' axes serves a whole chunk

    def __init__(self, run: Run, *args: Any, **options: Any) -> None:
        super().__init__(run, *args, **options)
        if (run.problem.bounded or run.problem.jump) and run.problem.noise:
            raise BoundkitError("the collapsed engine draws normal noise only; use the step engine.")
        self.affine = AffineRounds(run)
        self._maps: dict[bytes, tuple[dict[str, AnyArray], AnyArray, AnyArray]] = {}

    def round(self, round: Round, state: State, participants: Participants, streams: Streams) -> State:
        (G, g, deviation), clients = self._of(round.t), participants.clients
        R, n, d = streams.count, clients.shape[-1], self.run.problem.d
        xp, sent = array_namespace(g), g[clients]
        if self.run.problem.noise > 0:
            sent = sent + deviation[clients] * self.normal(streams, self.columns(participants), d)[:, :n]
        moves = [(Gk, state[name]) for name, Gk in G.items()]
        if self.axes is not None:
            pairs = PairsByClient(clients, R, self.like)
            sent = self.axes.around(xp.broadcast_to(sent, (R, n, d)), moves, pairs)
            return self.receive(state, {"update": sent}, round)
        for Gk, tensor in moves:
            sent = sent + Gk[clients] * tensor[:, None, :]
        return self.receive(state, {"update": xp.broadcast_to(sent, (R, n, d))}, round)

    def _of(self, t: int) -> tuple[dict[str, AnyArray], AnyArray, AnyArray]:
        """G of each array of the state, where not 0, g and the standard deviation of the noise, (m, d).

        They are in own axes.
        """
        key = self.run.steps_key(t)
        if key not in self._maps:
            own = self.affine.own(t)
            G = {n: own.G[..., k] for k, n in enumerate(self.affine.names) if own.G[..., k].any()}
            g, deviation = (as_like(a, self.like) for a in (own.g, np.sqrt(np.maximum(own.N, 0))))
            self._maps[key] = {n: as_like(Gk.copy(), self.like) for n, Gk in G.items()}, g, deviation
        return self._maps[key]
