"""A run as the proofs see it: who weighs what, and how far the server goes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines.aggregation_weights import Weighing
from boundkit.simulation.participation import Full, Uniform
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run

Array = NDArray[np.float64]
LONGEST = 500
"""Local steps of a round that are followed: every pair of them is."""


@dataclass(frozen=True)
class Scene:
    """A run, what it descends, and the solver's weights.

    ``descended``: the problem with the weights w_i that the server's direction gives to clients. ``solver``:
    A, (tau + 1, tau): (x - y_k)/eta = sum_s A_ks g_s. ``length``: eta tau_eff, how far the server moves along
    its direction. ``spare``: q/(C m), the share of the clients' variance that the chosen keep.
    """

    run: Run
    descended: Problem
    solver: Array
    w: Array
    length: float
    spare: float

    @cached_property
    def steps(self) -> NDArray[np.intp]:
        """tau_i, (m,)."""
        return self.run.steps(0)

    def collected(self, client: int) -> tuple[Array, Array]:
        """A_ks of a client's own steps, (tau_i, tau_i), and the weights a_s of what it sends, (tau_i,)."""
        tau = int(self.steps[client])
        return self.solver[:tau, :tau], self.solver[tau, :tau]

    def counted(self, client: int) -> float:
        """c_i: ||a_i||_1 (||a_i||_1 - a_{i,-1})."""
        a = self.collected(client)[1]
        return float(a.sum() * (a.sum() - a[-1]))

    @property
    def exact(self) -> bool:
        """Whether expectations have formulas; else the run is without chance, and is followed."""
        return isinstance(self.run.problem, Quadratic)


def scene_of(run: Run, descended: Problem) -> Scene:
    """The scene of a run that a theorem speaks of.

    Raises BoundkitError where rounds differ in law, are longer than is followed, or where something is random
    that has no exact moments here.
    """
    if run.period != 1:
        raise BoundkitError("a ledger needs the same local steps, rate and participation in all rounds.")
    if int(run.local_steps.max()) > LONGEST:
        raise BoundkitError(
            f"a ledger follows every pair of a round's local steps, up to {LONGEST} of them, not "
            f"{int(run.local_steps.max())}."
        )
    who, problem = run.participation, run.problem
    if not isinstance(who, (Full, Uniform)):
        raise BoundkitError(f"a ledger knows full and uniform participation, not {who.kind}.")
    count = who.m if isinstance(who, Full) else who.count
    random = problem.draws or count < problem.m
    if (random and not isinstance(problem, Quadratic)) or problem.parts is not None:
        raise BoundkitError(
            f"this {problem.kind} run is random and its expectations have no formula: a ledger needs a "
            "quadratic problem, or full participation without noise."
        )
    solver = solver_weights(run)
    sums = solver[np.arange(len(solver)), :].sum(axis=1)[run.steps(0)]
    mass = run.eta_s * Weighing(run).first(0) * sums
    spare = (problem.m - count) / (count * (problem.m - 1)) if count < problem.m else 0.0
    return Scene(run, descended, solver, mass / mass.sum(), run.eta * float(mass.sum()), spare)


def solver_weights(run: Run) -> Array:
    """A_ks, (tau + 1, tau): how much of gradient s is in (x - y_k)/eta, from the solver on unit vectors."""
    given = run.algorithm.settings
    kept, pull = float(given.get("momentum", 0.0)), float(given.get("mu", 0.0))
    rates = run.rates(0)
    tau = len(rates)
    weights, v, unit = np.zeros((tau + 1, tau)), np.zeros(tau), np.eye(tau)
    for k, rate in enumerate(rates):
        v = kept * v + unit[k]
        weights[k + 1] = weights[k] + rate / run.eta * v - rate * pull * weights[k]
    return weights
