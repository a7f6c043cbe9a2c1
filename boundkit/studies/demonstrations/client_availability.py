"""Unequal client availability: FedAvg's bias at every step size; FedAU's, MIFA's and FedAWE's vanish with it.

Eight clients of equal curvature on a line, F_i = (x - e_i)^2/2 with e_i from -1 to 1, without noise: those at
-1 are available with a high probability, those at 1 with a low one, which is constant, or lower in every
second half of a period, or a sine. FedAvg averages the available clients and has a bias towards them
(fedavg_active_bias). The others give every client its weight in the mean. FedAU and FedAWE weight a client by
1/q at once, which increases the variance; FedAWE's last mean also has a bias of O(eta) towards the clients
that participated last, as its bias_squared shows. Both decrease with the step size. MIFA averages the last
updates of all clients, and converges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import confidence_margin
from boundkit.simulation.engines import trajectory
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.participation.availability import DYNAMICS, AvailabilityShape
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.processes import run_in_workers
from boundkit.simulation.run import Run, make_run

CLIENTS, OFTEN, SELDOM = 8, 0.9, 0.15
ALGORITHMS: dict[str, dict[str, Any]] = {
    "fedavg": {"aggregation": "mean"},
    "fedau": {},
    "mifa": {"wait": False},
    "fedawe": {},
}
EXACT, LEVEL = "fedavg", 0.99
Observed = tuple[Array, float, bool]


@dataclass(frozen=True)
class EndRow:
    """``distance``: E (x - x*)^2, and ``bias_squared``: (E x - x*)^2, both over the last period, the first
    with ``margin``, half of its interval, Student t at 99 % over the runs; 0 where it is exact."""

    dynamics: str
    algorithm: str
    distance: float
    margin: float
    bias_squared: float


@dataclass(frozen=True)
class PathRow:
    """E (x_t - x*)^2 after t = ``round``, with the same margin."""

    dynamics: str
    algorithm: str
    round: int
    distance: float
    margin: float


@dataclass(frozen=True)
class AvailabilityRow:
    """Availability in ``round`` of the clients with the highest and the lowest probability."""

    dynamics: str
    round: int
    often: float
    seldom: float


@dataclass(frozen=True)
class ClientAvailability:
    """FedAvg is exact, the others are means of ``replicas`` runs.

    ``settles``: FedAvg's squared bias in the limit of many rounds, exact, in the mean over a period.
    """

    clients: int
    replicas: int
    eta: float
    period: int
    settles: dict[str, float]
    ends: list[EndRow]
    paths: list[PathRow]
    chances: list[AvailabilityRow]


def client_availability(
    eta: float = 0.03, *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> ClientAvailability:
    """Four algorithms under four dynamics, one local step; ``quick``: fewer rounds and replicas."""
    rounds, replicas, every = (60, 20, 4) if quick else (260, 300, 2)
    runs = {(kind, name): _run(kind, name, eta, rounds) for kind in DYNAMICS for name in ALGORITHMS}
    ends, paths = [], []
    for key, observed in zip(runs, _all([*runs.values()], replicas, jobs), strict=True):
        each, bias, random = observed
        last = each[:, -AvailabilityShape().period :].mean(axis=1)
        ends.append(EndRow(*key, float(last.mean()), float(confidence_margin(last, random, LEVEL)), bias))
        mean, margin = each.mean(axis=0), confidence_margin(each, random, LEVEL)
        paths += [PathRow(*key, t, float(mean[t]), float(margin[t])) for t in range(0, rounds + 1, every)]
        if progress is not None:
            progress(len(ends), len(runs))
    return ClientAvailability(
        clients=CLIENTS,
        replicas=replicas,
        eta=eta,
        period=AvailabilityShape().period,
        settles={kind: _asymptotic_bias(runs[kind, EXACT]) for kind in DYNAMICS},
        ends=ends,
        paths=paths,
        chances=[
            AvailabilityRow(kind, t, *moves(np.array([OFTEN, SELDOM]), t, AvailabilityShape()).tolist())
            for kind, moves in DYNAMICS.items()
            for t in range(2 * AvailabilityShape().period + 1)
        ],
    )


def clients() -> tuple[Quadratic, Array]:
    """The problem, and q_i, which falls as e_i rises, (m,)."""
    e = np.linspace(-1, 1, CLIENTS)[:, None]
    return Quadratic([1.0] * CLIENTS, e), np.geomspace(OFTEN, SELDOM, CLIENTS)


def _run(kind: str, name: str, eta: float, rounds: int) -> Run:
    problem, q = clients()
    participation = {"kind": "bernoulli", "probabilities": q.tolist(), "dynamics": kind}
    return make_run(
        name,
        problem,
        rounds=rounds,
        eta=eta,
        x0=[-2.0],
        options=ALGORITHMS[name],
        participation=participation,
    )


def _asymptotic_bias(run: Run) -> float:
    return float(run.problem.observe(fixed_point(run).points)["distance_squared"].mean())


def _all(runs: list[Run], replicas: int, jobs: int) -> Iterator[Observed]:
    if jobs == 1:
        yield from (_observe(run, replicas) for run in runs)
        return
    yield from run_in_workers(_observe, [(run, replicas) for run in runs], jobs)


def _observe(run: Run, replicas: int) -> Observed:
    """(x_t - x*)^2 of each run after each round, (R, T + 1); (E x - x*)^2 over the last period; if random."""
    path = trajectory(run, "exact" if run.algorithm.name == EXACT else "step", replicas)
    bias = run.problem.observe(path.x[-AvailabilityShape().period :].mean(axis=0)[None])["distance_squared"]
    return path.observed["distance_squared"], float(bias[0]), path.random
