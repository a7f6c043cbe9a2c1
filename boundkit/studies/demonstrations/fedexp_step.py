r"""FedExP's server step by round: large far from a common minimum, without a limit where minima differ.

The step is eta_g = max{1, sum_i w_i ||D_i||^2/(2 (||D||^2 + eps))}, D = sum_i w_i D_i: long where the
clients' updates are long and their mean is short. Early on, when heterogeneous updates cover different parts
of the way to a minimum that all share, that is what the mean has lost, and eta_g gives it back. Near the end
two things happen. Where the minimum is shared, updates become short beside eps, and eta_g falls to 1:
FedAvg's pace. Where the clients' minima differ, the updates stay long and only their mean vanishes: eta_g
grows as it does, throws the model off, and the last iterate goes to and fro. The mean of the iterates by
their steps, sum_t eta_g x_t/sum_t eta_g, converges; it is also what the theorem bounds.

With minima as far apart as here, N(0, 1/16) a coordinate, the last iterate converges to a stable cycle of two
rounds, which is the same on every machine. With a standard deviation of 0.3 or more instead of 1/4 the map
from round to round is chaotic, and after some hundred rounds the iterates depend on how sums are rounded.

The theorem asks for eta <= 1/(6 L tau). The eta here is thirty times that, as in practice, and no bound is
proved. At the largest step that the theorem allows, eta_g begins lower, falls towards 1 in both cases, and
nothing goes to and fro: ``allowed_longest``, ``allowed_last``.

Twenty clients, each of whom sees three directions of forty: none determines the model, together they do. All
come, and there is no noise, so that one run is exact. ``steps`` is what divides the initial gap in the
theorem in place of the rounds.

Jhunjhunwala, Wang, Joshi, arXiv 2301.09604.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.simulate import simulate

CLIENTS, DIMENSION, SEEN, SEED = 20, 40, 3, 1
SPREAD: Mapping[str, float] = {"shared": 0.0, "differ": 0.25}
"""How far the clients' minima lie apart, by coordinate: a standard deviation."""


@dataclass(frozen=True)
class FedExPStep:
    """After each of ``rounds``, where minima are shared and where they differ: FedExP's server ``step``, and
    F - F* of FedAvg's last iterate, of FedExP's, and of FedExP's mean by steps. ``steps``: the sum of its
    steps. ``allowed_longest`` and ``allowed_last``: its longest and its last step at ``allowed_eta``, the
    largest that the theorem allows."""

    rounds: Array
    step: dict[str, Array]
    fedavg: dict[str, Array]
    fedexp: dict[str, Array]
    fedexp_mean: dict[str, Array]
    steps: dict[str, float]
    allowed_longest: dict[str, float]
    allowed_last: dict[str, float]
    allowed_eta: float
    eta: float
    tau: int
    epsilon: float


def fedexp_step(eta: float = 0.5, tau: int = 10, rounds: int = 120, epsilon: float = 1e-3) -> FedExPStep:
    """FedAvg and FedExP at the same eta, in units in which L = 1, with the options of the paper."""
    step: dict[str, Array] = {}
    avg: dict[str, Array] = {}
    last: dict[str, Array] = {}
    mean: dict[str, Array] = {}
    allowed: dict[str, Array] = {}
    small = 1 / (6 * tau)
    for name, spread in SPREAD.items():
        problem = few_directions(spread)
        common: dict[str, Any] = {"rounds": rounds, "eta": eta, "local_steps": tau}
        exp = simulate("fedexp", problem, options={"epsilon": epsilon}, **common)
        step[name] = exp.mean("server_step")[:-1]  # [t] is the step from x_t; the last is repeated
        avg[name] = simulate("fedavg", problem, **common).mean("loss_gap")[1:]
        last[name] = exp.mean("loss_gap")[1:]
        mean[name] = exp.mean("weighted_iterate_loss_gap")[1:]
        careful = simulate("fedexp", problem, options={"epsilon": epsilon}, **{**common, "eta": small})
        allowed[name] = careful.mean("server_step")[:-1]
    return FedExPStep(
        np.arange(1.0, rounds + 1), step, avg, last, mean,
        {name: float(own.sum()) for name, own in step.items()},
        {name: float(own.max()) for name, own in allowed.items()},
        {name: float(own[-1]) for name, own in allowed.items()},
        small, eta, tau, epsilon,
    )  # fmt: skip


def few_directions(spread: float) -> Quadratic:
    """Clients with Hessians of low rank whose minima lie N(0, spread^2 I) around a common point."""
    rng = np.random.default_rng(SEED)
    common = rng.standard_normal(DIMENSION)
    rows = rng.standard_normal((CLIENTS, SEEN, DIMENSION))
    hessians = rows.swapaxes(1, 2) @ rows
    largest = float(np.linalg.eigvalsh(hessians).max())
    minima = common + spread * rng.standard_normal((CLIENTS, DIMENSION))
    return Quadratic(list(hessians / largest), minima)
