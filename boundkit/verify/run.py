"""A run: everything that a simulation depends on, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import is_whole
from boundkit.algebra.notation import eta as ETA
from boundkit.algebra.notation import eta_s as ETA_S
from boundkit.verify.algorithms import Algorithm, algorithm
from boundkit.verify.participation import Full, Participation, Schedule
from boundkit.verify.participation import participation as make_participation
from boundkit.verify.problems import Problem
from boundkit.verify.problems.base import Array, checked_array


@dataclass(frozen=True)
class Run:
    """Problem, algorithm and participation, with the steps and the rounds.

    ``local_steps`` is (cycle, m): the steps of each client in each round, repeated when they run out.
    """

    problem: Problem
    algorithm: Algorithm
    participation: Participation
    x0: Array
    rounds: int
    eta: float
    eta_s: float
    local_steps: NDArray[np.intp]
    seed: int = 0

    def steps(self, t: int) -> NDArray[np.intp]:
        """The local steps of every client in round t, (m,)."""
        return self.local_steps[t % len(self.local_steps)]

    @cached_property
    def tau(self) -> int | None:
        """The local steps, where they are the same for all clients and rounds."""
        return int(self.local_steps.flat[0]) if np.ptp(self.local_steps) == 0 else None

    @cached_property
    def period(self) -> int:
        """After how many rounds the law of a round repeats."""
        return int(np.lcm(self.participation.period, len(self.local_steps)))

    def to_json(self) -> dict[str, Any]:
        """The RUN.json that replays this run (its algorithm is named on the command line)."""
        scheduled = isinstance(self.participation, Schedule)
        return {
            "problem": self.problem.to_json(),
            "x0": self.x0.tolist(),
            "rounds": self.rounds,
            "eta": self.eta,
            "eta_s": self.eta_s,
            "local_steps": self.tau if self.tau is not None else self.local_steps.tolist(),
            **({"schedule": [list(r) for r in self.participation.rounds]} if scheduled else {}),
            "participation": {"kind": "full"} if scheduled else self.participation.to_json(),
            "noise": self.problem.noise,
            "seed": self.seed,
            "options": {k: v for k, v in self.algorithm.settings.items() if v != self.algorithm.options[k]},
        }


def make_run(
    algorithm_name: str,
    problem: Problem,
    *,
    rounds: Any,
    eta: Any,
    local_steps: Any = 1,
    eta_s: Any = 1.0,
    x0: Any = None,
    participation: Any = None,
    schedule: Any = None,
    options: Any = None,
    seed: Any = 0,
) -> Run:
    """A checked run. ``x0`` is the origin by default; a schedule rules over the participation.

    Raises BoundkitError with one sentence for anything that cannot be run.
    """
    chosen = algorithm(algorithm_name, options)
    start = np.zeros(problem.d) if x0 is None else checked_array("x0", x0, (problem.d,))
    steps = _local_steps(local_steps, problem.m)
    chosen.check_run(steps, problem.m)
    who: Participation = Full(problem.m)
    if participation is not None:
        who = participation if isinstance(participation, Participation) else make_participation(participation, problem.m)
    if schedule is not None:
        who = Schedule(problem.m, schedule)
    return Run(
        problem=problem, algorithm=chosen, participation=who, x0=start, rounds=_count("rounds", rounds),
        eta=_step("eta", eta, ETA), eta_s=_step("eta_s", eta_s, ETA_S), local_steps=steps,
        seed=_count("seed", seed, least=0),
    )  # fmt: skip


def _count(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer)) or not is_whole(float(value)):
        raise BoundkitError(f"{name} must be a whole number, at least {least}, but it is {value!r}.")
    if value < least:
        raise BoundkitError(f"{name} must be a whole number, at least {least}, but it is {value!r}.")
    return round(value)


def _step(name: str, value: Any, quantity: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise BoundkitError(f"{name} must be a number above 0, but it is {value!r}.")
    complaint = quantity.domain.complaint(float(value))
    if complaint:
        raise BoundkitError(f"{name} = {value:g} was given, but {complaint} ({quantity.meaning}).")
    return float(value)


def _local_steps(given: Any, m: int) -> NDArray[np.intp]:
    """(cycle, m) whole numbers, from one number, one a client, or a list of such lists."""
    nested = isinstance(given, (list, tuple)) and any(isinstance(g, (list, tuple)) for g in given)
    rows = list(given) if nested else [given]
    if not rows or any(isinstance(r, (list, tuple)) and len(r) != m for r in rows):
        raise BoundkitError(f"local_steps must be one number, {m} numbers (one a client), or a list of such lists.")
    table = [list(r) if isinstance(r, (list, tuple, np.ndarray)) else [r] * m for r in rows]
    return np.array([[_count("local_steps", v) for v in row] for row in table], dtype=np.intp)
