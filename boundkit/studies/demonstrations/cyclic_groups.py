r"""Cyclic participation of groups against uniform sampling: a small bias, and less variance.

Twelve clients with F_k(x) = (x - e_k)^2/2, in three groups of four; two clients participate in a round; r =
eta. With cyclic groups the model at the end of a cycle has the variance r f V_w/(2 - r), f = (n - N)/(N (n -
1)), V_w the variance within a group, and the bias sum w_g e_g - x*, w_g = r (1 - r)^(K-g)/(1 - (1 - r)^K).
Two clients sampled from all twelve give the variance r ((m - N)/(N (m - 1))) (V_w + V_b)/(2 - r) and no bias.
As eta tends to 0 the squared bias is of order eta^2, both variances of order eta. The minimisers are such
that at eta = 0.1 the three are 0.0192, 0.0063 and 0.0509. At eta = 1 the model depends on the last group
only, and uniform sampling has the smaller error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines import ExactEngine
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run

GROUPS, COUNT, CLIENTS = 3, 2, 12
IN_TURNS: dict[str, object] = {"kind": "cyclic", "groups": GROUPS, "count": COUNT}
DRAWN: dict[str, object] = {"kind": "uniform", "C": COUNT / CLIENTS}
ETAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
_DECAY = 40
"""The squared influence of the start decays to exp(-80)."""


@dataclass(frozen=True)
class CyclicGroups:
    """E (x - x*)^2 in the limit, at each ``eta``: ``spread`` (variance) + ``bias_squared`` for cyclic groups,
    ``drawn`` for uniform sampling.

    ``path_in_turns`` and ``path_drawn``: E (x_t - x*)^2 after t = 0, 1, ... rounds at ``path_eta``; a cycle
    is as many rounds as there are ``groups``.
    """

    groups: int
    path_eta: float
    eta: tuple[float, ...]
    spread: Array
    bias_squared: Array
    drawn: Array
    path_in_turns: Array
    path_drawn: Array


def twelve_clients() -> Quadratic:
    """Three groups about -1.4265, 0.5593 and 0.8672, four clients at +-1.0461 about each."""
    centres = np.array([-1.4265, 0.5593, 0.8672])
    e = (centres[:, None] + 1.0461 * np.array([-1.0, 1.0, -1.0, 1.0])).reshape(-1, 1)
    return Quadratic([1.0] * CLIENTS, e)


def cyclic_groups(
    eta: Sequence[float] = ETAS, *, path_eta: float = 0.1, rounds: int = 90, start: float = 2.0
) -> CyclicGroups:
    """Exact limits of the moments at the ends of cycles, and those of two clients sampled from all."""
    problem = twelve_clients()
    assert problem.optimum is not None
    spread, bias, drawn = [], [], []
    for step in eta:
        cycles = int(np.ceil(_DECAY / step / GROUPS))
        cyclic = _run(problem, step, IN_TURNS, GROUPS * cycles)
        squared_bias = float(((fixed_point(cyclic).points[0] - problem.optimum) ** 2).sum())
        bias.append(squared_bias)
        spread.append(float(ExactEngine(cyclic).trajectory().mean("distance_squared")[-1]) - squared_bias)
        drawn.append(ExactEngine(_run(problem, step, DRAWN, 1)).stationary()["distance_squared"])
    paths = [
        ExactEngine(_run(problem, path_eta, participation, rounds, start))
        .trajectory()
        .mean("distance_squared")
        for participation in (IN_TURNS, DRAWN)
    ]
    return CyclicGroups(
        GROUPS, path_eta, tuple(eta), np.array(spread), np.array(bias), np.array(drawn), *paths
    )


def _run(
    problem: Quadratic, eta: float, participation: dict[str, object], rounds: int, start: float = 0.0
) -> Run:
    return make_run("fedavg", problem, rounds=rounds, eta=eta, x0=[start], participation=participation)
