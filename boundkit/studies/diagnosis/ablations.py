"""The run without one of its troubles: what each of them costs is the difference, on the same draws.

iid: the same points dealt out anew, so that clients differ by chance only; where p_i is not n_i/n this would
weigh points anew, and so change F itself, and is not done. everybody: all clients come in
every round. one step: one local step a round that is as long as all of them together. exact gradients: no
mini-batches and no noise. equal work: everybody takes the mean number of steps.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from boundkit.simulation.participation import Full
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.problems.federated_data import Federation
from boundkit.simulation.run import Run


@dataclass(frozen=True)
class Trouble:
    """A source of error: its name, the causes of terms that it feeds, and what the run is without it.

    ``without`` gives None where the run has no such trouble.
    """

    name: str
    removed_by: str
    causes: frozenset[str]
    without: Callable[[Run], Run | None]


def _iid(run: Run) -> Run | None:
    problem = run.problem
    if not isinstance(problem, Network) or problem.m == 1 or reweighs(problem):
        return None
    return replace(run, problem=_dealt(problem, run.seed))


def reweighs(problem: Problem) -> bool:
    """Whether dealing out the points of a network anew would change how much each of them weighs in F."""
    return isinstance(problem, Network) and not np.allclose(problem.p, problem.federation.shares, atol=0)


def _dealt(problem: Network, seed: int) -> Network:
    """The same points and sizes, every point with a client by chance."""
    old = problem.federation
    order = np.random.default_rng([seed, 1]).permutation(len(old.X))
    rows = [order[a:b] for a, b in zip(old.offsets[:-1], old.offsets[1:], strict=True)]
    twin = copy.copy(problem)
    twin.federation = Federation(old.X, old.y, rows)
    return twin


def _everybody(run: Run) -> Run | None:
    if all(run.participation.size(t) == run.problem.m for t in range(run.participation.period)):
        return None
    return replace(run, participation=Full(run.problem.m))


def _one_step(run: Run) -> Run | None:
    if run.tau is None or run.tau == 1:
        return None
    return replace(run, eta=run.eta * run.tau, local_steps=np.ones_like(run.local_steps))


def _exact(run: Run) -> Run | None:
    if not run.problem.stochastic or run.problem.parts is not None:
        return None
    return replace(run, problem=_without_noise(run.problem))


def _without_noise(problem: Problem) -> Problem:
    quiet = problem.without_noise()
    if isinstance(quiet, Network):
        quiet.batch = None
    return quiet


def _equal_work(run: Run) -> Run | None:
    if run.tau is not None:
        return None
    mean = max(1, round(float(run.local_steps.mean())))
    return replace(run, local_steps=np.full((1, run.problem.m), mean, dtype=np.intp))


TROUBLES = (
    Trouble("data heterogeneity", "dealing the points out by chance, once",
            frozenset({"client drift", "partial participation", "objective inconsistency"}), _iid),
    Trouble("local steps", "one step a round, as long as all together",
            frozenset({"client drift", "noise drift"}), _one_step),
    Trouble("partial participation", "everybody in every round",
            frozenset({"partial participation"}), _everybody),
    Trouble("mini-batch noise", "exact gradients",
            frozenset({"stochastic noise", "noise drift"}), _exact),
    Trouble("unequal work", "the mean number of steps for everybody",
            frozenset({"objective inconsistency"}), _equal_work),
)  # fmt: skip
"""The sources of error that a run can be freed of, one at a time."""
