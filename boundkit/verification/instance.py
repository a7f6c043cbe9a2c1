"""A problem instance on which a theorem is tested, before its step size is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run, make_run


@dataclass(frozen=True)
class Instance:
    """A problem with the configuration of a run, before its step size is chosen.

    Attributes
    ----------
    name, problem, local_steps, eta_s, rounds, options, x0, seed
        As for a run.
    present
        The fraction of clients sampled in a round, where neither ``participation`` nor ``schedule`` is given.
    participation, schedule
        Specifications of the client participation, as in RUN.json.
    step
        The step size as a fraction of the largest that the theorem allows, where ``eta`` is not given.
    eta
        The client step size, or a mapping for a decaying one; None to take it from ``step``.
    watch
        Further objectives that the run records, by prefix.
    target
        The gradient norm of a first-passage time.
    """

    name: str
    problem: Problem
    local_steps: Any = 1
    present: float = 1.0
    eta_s: float = 1.0
    step: float = 1.0
    rounds: int = 100
    eta: Any = None
    participation: Any = None
    schedule: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    x0: Any = None
    seed: int = 0
    watch: dict[str, Problem] = field(default_factory=dict)
    target: float | None = None

    def run(self, algorithm: str, eta: Any, **changes: Any) -> Run:
        """The run of this instance at a step size."""
        participation = self.participation
        if participation is None:
            participation = "full" if self.present == 1 else {"kind": "uniform", "C": self.present}
        settings = {
            "rounds": self.rounds,
            "eta": eta,
            "eta_s": self.eta_s,
            "local_steps": self.local_steps,
            "participation": participation,
            "schedule": self.schedule,
            "x0": self.x0,
            "options": self.options,
            "seed": self.seed,
        }
        run = make_run(algorithm, self.problem, **{**settings, **changes})
        return replace(run, objectives=self.watch, target=self.target) if self.watch or self.target else run


def vary_instance(instance: Instance, keyword: str, value: float) -> Instance:
    """The instance with another number of rounds, local steps or clients, or another fraction of them."""
    if keyword == "T":
        return replace(instance, rounds=int(value))
    if keyword == "tau":
        return replace(instance, local_steps=int(value))
    if keyword == "C":
        return replace(instance, present=float(value))
    if keyword == "m":
        return replace(instance, problem=_copies(instance.problem, int(value)))
    raise BoundkitError(f"{keyword} is not varied here.")


def _copies(problem: Any, m: int) -> Any:
    """m clients, whose losses are those of the first four clients in turn."""
    kinds = 4
    if isinstance(problem, Quadratic):
        which = np.arange(m) % kinds
        return Quadratic(problem.H[which], problem.e[which], noise=problem.noise)
    if isinstance(problem, SmoothNonconvex):
        e = problem.e[np.arange(m) % kinds]
        return SmoothNonconvex(e - e.mean(axis=0), noise=problem.noise)
    raise BoundkitError(f"clients of a {problem.kind} problem are not copied here.")
