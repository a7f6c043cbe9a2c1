"""Who is away moves the end of FedAvg, whatever the dynamics; FedAU, MIFA and FedAWE end at the optimum.

Eight clients of one curvature on a line, F_i = (x - e_i)^2/2 with e_i from -1 to 1, without noise: those at
-1 come often, those at 1 seldom, with chances that stand still, fall in every second half of a period, or
swing. FedAvg averages who came and ends where seldom clients count for little (fedavg_active_bias). The
others give every client its weight in the mean, and have no bias. FedAU and FedAWE make up for 1/q rounds at
once, which spreads their models, less with smaller steps; MIFA steps with everybody's last update, and rests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.verify.engines import Progress, trajectory
from boundkit.verify.fixed_point import fixed_point
from boundkit.verify.participation.dynamics import DYNAMICS, Shape
from boundkit.verify.problems import Quadratic
from boundkit.verify.problems.base import Array
from boundkit.verify.run import Run, make_run
from boundkit.verify.trajectory import margin_of

CLIENTS, OFTEN, SELDOM = 8, 0.9, 0.15
ALGORITHMS: dict[str, dict[str, Any]] = {
    "fedavg": {"aggregation": "mean"},
    "fedau": {},
    "mifa": {"wait": False},
    "fedawe": {},
}
EXACT, LEVEL = "fedavg", 0.99


@dataclass(frozen=True)
class WhoIsAway:
    """Under each of the dynamics, ``chance``: that the client comes that comes most often, and most seldom.

    ``distance``: E (x_t - x*)^2 after t = ``rounds``, exact for FedAvg, else the mean of ``replicas`` runs
    with ``margin``, half of its interval, Student t at 99 %. ``settles``: FedAvg's squared bias in the limit
    of many rounds, exact, in the mean over a period.
    """

    clients: int
    replicas: int
    eta: float
    period: int
    settles: dict[str, float]
    chance_at: tuple[int, ...]
    chance: dict[str, Array]
    rounds: tuple[int, ...]
    distance: dict[str, Array]
    margin: dict[str, Array]


def who_is_away(
    eta: float = 0.03, *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> WhoIsAway:
    """Four algorithms under four dynamics, one local step; ``quick``: fewer rounds and replicas."""
    rounds, replicas, every = (60, 20, 4) if quick else (260, 300, 2)
    runs = {(kind, name): _run(kind, name, eta, rounds) for kind in DYNAMICS for name in ALGORITHMS}
    found: dict[tuple[str, str], tuple[Array, Array]] = {}
    for key, mean_and_margin in zip(runs, _all([*runs.values()], replicas, jobs), strict=True):
        found[key] = mean_and_margin
        if progress is not None:
            progress(len(found), len(runs))
    label = {key: " ".join(key) for key in runs}
    sampled = {key: label[key] for key in runs if key[1] != EXACT}
    shape, at = Shape(), tuple(range(2 * Shape().period + 1))
    ends = {"often": np.array([OFTEN]), "seldom": np.array([SELDOM])}
    return WhoIsAway(
        clients=CLIENTS,
        replicas=replicas,
        eta=eta,
        period=shape.period,
        settles={kind: _settles(runs[kind, EXACT]) for kind in DYNAMICS},
        chance_at=at,
        chance={
            f"{kind} {end}": np.array([float(moves(q, t, shape)[0]) for t in at])
            for kind, moves in DYNAMICS.items()
            for end, q in ends.items()
        },
        rounds=tuple(range(0, rounds + 1, every)),
        distance={label[key]: mean[::every] for key, (mean, _) in found.items()},
        margin={named: found[key][1][::every] for key, named in sampled.items()},
    )


def clients() -> tuple[Quadratic, Array]:
    """The problem, and q_i, which falls as e_i rises, (m,)."""
    e = np.linspace(-1, 1, CLIENTS)[:, None]
    return Quadratic([1.0] * CLIENTS, e), np.geomspace(OFTEN, SELDOM, CLIENTS)


def _run(kind: str, name: str, eta: float, rounds: int) -> Run:
    problem, q = clients()
    who = {"kind": "bernoulli", "probabilities": q.tolist(), "dynamics": kind}
    return make_run(
        name, problem, rounds=rounds, eta=eta, x0=[-2.0], options=ALGORITHMS[name], participation=who
    )


def _settles(run: Run) -> float:
    return float(run.problem.observe(fixed_point(run).points)["distance_squared"].mean())


def _all(runs: list[Run], replicas: int, jobs: int) -> Iterator[tuple[Array, Array]]:
    if jobs == 1:
        yield from (_watched(run, replicas) for run in runs)
        return
    from joblib import Parallel, delayed

    work = Parallel(n_jobs=jobs, return_as="generator", inner_max_num_threads=1, backend="loky")
    yield from work(delayed(_watched)(run, replicas) for run in runs)


def _watched(run: Run, replicas: int) -> tuple[Array, Array]:
    """E (x_t - x*)^2 after each round, and half of its interval."""
    path = trajectory(run, "exact" if run.algorithm.name == EXACT else "step", replicas)
    each = path.observed["distance_squared"]
    return each.mean(axis=0), margin_of(each, path.random, LEVEL)
