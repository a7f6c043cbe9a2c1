"""Gradient clipping, with plain means over participating clients: CELGC, minibatch SGD, EPISODE, EPISODE++.

A gradient g is clipped where its norm, or that of another decisive vector, exceeds gamma/eta: the step is
then gamma g/||g|| in place of eta g. For a zero vector the step is zero; published code divides by
||g|| + 1e-10 instead.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms.base import (
    ClientOracle,
    EqualWeights,
    Local,
    Message,
    Received,
    Round,
    ServerOracle,
    State,
    copies,
    number_option,
    received_model,
)
from boundkit.simulation.arrays import AnyArray, array_namespace, as_like

PUBLISHED_RATIO = 5.0
"""gamma/eta in the synthetic experiments of the code published with EPISODE, and the default."""


class Clipped(EqualWeights):
    """Clients that send x - y, with equal weights.

    ``gamma``: the length of a clipped step, above 0; 5 eta where it is not given.
    """

    options: ClassVar[dict[str, Any]] = {"gamma": None}
    free_options = frozenset({"gamma"})  # a symbol of the theorems; the algorithm stays the same
    affine = False  # without clipping it is affine, but only locally
    stateless = False

    def check_options(self) -> None:
        if self.settings["gamma"] is None:
            return
        number_option(self, "gamma", 0, np.inf)
        if self.settings["gamma"] == 0:
            raise BoundkitError(f"the option gamma of {self.name} is a length and must be above 0.")

    def gamma(self, eta: float) -> float:
        """The length of a clipped step."""
        given = self.settings["gamma"]
        return PUBLISHED_RATIO * eta if given is None else float(given)

    def exceeds(self, g: AnyArray, eta: float) -> AnyArray:
        """Whether the norm of g, (..., d), exceeds gamma/eta: (...)."""
        return array_namespace(g).linalg.vector_norm(g, axis=-1) > self.gamma(eta) / eta

    def step(self, g: AnyArray, clip: AnyArray, eta: float) -> AnyArray:
        """gamma g/||g|| where ``clip``, (...), is true, else eta g."""
        xp, gamma = array_namespace(g), self.gamma(eta)
        least = max(1.0, gamma) * float(xp.finfo(g.dtype).smallest_normal)  # gamma / least is finite
        length = xp.linalg.vector_norm(g, axis=-1, keepdims=True) + least
        return xp.where(clip[..., None], gamma / length, eta) * g


class CELGC(Clipped):
    """CELGC (Liu, Zhuang, Lei, Liao, arXiv 2205.05040, Algorithm 1): clients clip each of their own steps.

    y <- y - min(eta, gamma/||g||) g from y = x, tau_i times; x <- x - eta_s (1/|S|) sum_S (x - y_i). Clipping
    depends on each client's own stochastic gradient, so the mean step is biased for heterogeneous gradients.
    """

    name = "celgc"
    reference = "arXiv 2205.05040, Algorithm 1"

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return {**local, "y": local["y"] - self.step(gradient, self.exceeds(gradient, eta), eta)}


class ClippedMinibatchSGD(Clipped):
    """Clipped minibatch SGD (Zhang, He, Sra, Jadbabaie, arXiv 1905.11881, over clients): one clipped step.

    g = (1/|S|) sum_S g_i, with g_i the mean of tau_i stochastic gradients at x (accumulated, without local
    updates); x <- x - eta_s min(eta, gamma/||g||) g. Without noise local_steps has no effect.

    The baseline of Crawshaw, Bao, Liu (NeurIPS 2023), to which their lower bound applies.
    """

    name = "clipped_minibatch_sgd"
    reference = "arXiv 1905.11881, Algorithm 1"

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        return {"y": x, "total": x * 0}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return {**local, "total": local["total"] + gradient}

    def message(self, state: State, local: Local, round: Round) -> Message:
        steps = as_like(round.steps, local["total"])
        return {"update": round.eta * local["total"] / steps[..., None]}

    def server_step(self, state: State, received: Received) -> State:
        eta, eta_s = received.round.eta, received.round.eta_s
        g = received.aggregate / eta
        return {**state, "x": state["x"] - eta_s * self.step(g, self.exceeds(g, eta), eta)}


class Episode(Clipped):
    """EPISODE (Crawshaw, Bao, Liu, arXiv 2302.07155, Algorithm 1): clip all steps of a round, or none.

    Participating clients send new stochastic gradients G_i at x, and G = (1/|S|) sum_S G_i. Then, tau_i times
    from y = x, with g' = g - G_i + G:

        y <- y - eta g'            where ||G|| <= gamma/eta,
        y <- y - gamma g'/||g'||   elsewhere.

    x <- x - eta_s (1/|S|) sum_S (x - y_i). The paper has full participation; here S takes its place.
    """

    name = "episode"
    reference = "arXiv 2302.07155, Algorithm 1"

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        G_i = oracle.gradient(x)
        return self.corrected(x, G_i, round.mean(G_i), round)

    def corrected(self, x: AnyArray, G_i: AnyArray, G: AnyArray, round: Round) -> Local:
        """The local state at x with the correction G - G_i; G, (R, d), decides for the round."""
        exceeds = self.exceeds(G, round.eta)[:, None]
        clip = array_namespace(exceeds).broadcast_to(exceeds, x.shape[:2])
        return {"y": x, "correction": G[:, None, :] - G_i, "clip": clip}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        g = gradient + local["correction"]
        return {**local, "y": local["y"] - self.step(g, local["clip"], eta)}


class EpisodePP(Episode):
    """EPISODE++ (Crawshaw, Bao, Liu, NeurIPS 2023, Algorithm 1): EPISODE for partial participation.

    The server stores a G_i of every client, initially a stochastic gradient at x_0 of all m, and their plain
    mean G. Participating clients take tau_i steps from y = x with g' = g - G_i + G:

        y <- y - eta g'            where ||G|| <= gamma/eta,
        y <- y - gamma g'/||g'||   elsewhere.

    Then x <- x - eta_s (1/|S|) sum_S (x - y_i), and G_i <- the plain mean of the raw g of the round for i in
    S. So G changes by (1/m) sum_S of the changes, and is the mean of all G_i at all times.

    The slides print sums to "7-1" for tau - 1 and other factors for 1/m. Without its flag
    ``init_corrections`` the published code starts at G_i = 0.
    """

    name = "episodepp"
    reference = "NeurIPS 2023, Algorithm 1"

    def start(self, x0: AnyArray, oracle: ServerOracle) -> State:
        return {"x": x0, "G_i": oracle.gradients(copies(x0, oracle.m))}

    def local_start(self, state: State, round: Round, oracle: ClientOracle) -> Local:
        x = received_model(state, round)
        mean = array_namespace(x).mean(state["G_i"], axis=1)
        local = self.corrected(x, round.gather(state["G_i"]), mean, round)
        return {**local, "total": x * 0}

    def local_step(self, local: Local, gradient: AnyArray, eta: float) -> Local:
        return {**super().local_step(local, gradient, eta), "total": local["total"] + gradient}

    def message(self, state: State, local: Local, round: Round) -> Message:
        steps = as_like(round.steps, local["total"])
        return {**super().message(state, local, round), "G_i": local["total"] / steps[..., None]}

    def server_step(self, state: State, received: Received) -> State:
        after = super().server_step(state, received)
        return {**after, "G_i": received.round.scatter(state["G_i"], received.sent["G_i"])}
