"""Expectations of clients and server in every round, and the quantities of the proofs made of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.proofs import expectations as of
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.participation import Full, WithoutReplacement
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run


@dataclass(frozen=True)
class ClientExpectations:
    """Expectations of each client, (T, m); constant ones, (m,)."""

    gradient: Array
    missed: Array
    error: Array
    steps_missed: Array
    walk: Array
    walk_by_step: Array
    noise_walk: Array
    noise_way: Array
    gradient_walk: Array
    gradient_way: Array
    step_gradients: Array


@dataclass(frozen=True)
class ServerExpectations:
    """Expectations of the server, (T,)."""

    true_gradient: Array
    gradient: Array
    dissimilarity: Array
    other_weighing: Array
    decrease: Array
    along: Array
    moved: Array
    noise: Array
    mean_moved: Array
    chosen_moved: Array
    chosen_apart: Array
    missed: Array
    true_moved: Array
    error: Array
    spread: Array
    sent_variance: Array


def expectation_values(
    context: RunContext, clients: ClientExpectations, server: ServerExpectations, counted: float
) -> dict[str, Array]:
    """Return every quantity of the proofs, by name, (T,); ``counted``: the counted part of c_i."""
    w = context.w
    c = counted * np.array([context.counted(i) for i in range(len(w))])
    result = {
        of.true_gradient: server.true_gradient,
        of.gradient: server.gradient,
        of.other_weighing: server.other_weighing,
        of.dissimilarity: server.dissimilarity,
        of.decrease: server.decrease,
        of.along: server.along,
        of.moved: server.moved,
        of.noise: server.noise,
        of.mean_moved: server.mean_moved,
        of.chosen_moved: server.chosen_moved,
        of.chosen_apart: server.chosen_apart,
        of.chosen_gradient: context.spare * server.dissimilarity,
        of.missed: server.missed,
        of.clients_missed: clients.missed @ w,
        of.steps_missed: clients.steps_missed @ w,
        of.walk: clients.walk @ w,
        of.walk_on: clients.walk @ w,
        of.noise_walk: clients.noise_walk @ w,
        of.noise_way: clients.noise_way @ w,
        of.gradient_walk: clients.gradient_walk @ w,
        of.gradient_way: clients.gradient_way @ w,
        of.all_steps: clients.step_gradients @ (w * c),
        of.all_missed: clients.steps_missed @ (w * c),
        of.all_start: clients.gradient @ (w * c),
        of.all_walk: clients.walk @ (w * c),
        of.start_gradients: clients.gradient @ w,
        of.true_moved: server.true_moved,
        of.error_along: server.gradient - server.along,
        of.error: server.error,
        of.clients_error: clients.error @ w,
        of.spread: server.spread,
        of.sent_variance: server.sent_variance,
        of.walk_by_step: clients.walk_by_step @ w,
    }
    rounds = len(server.gradient)
    return {quantity.name: np.broadcast_to(value, (rounds,)) for quantity, value in result.items()}


Array = NDArray[np.float64]
LONGEST = 500
"""Largest number of local steps in a round, since every pair of them is evaluated."""


@dataclass(frozen=True)
class RunContext:
    """A run, the function that it descends, and the weights of the local solver.

    Attributes
    ----------
    descended : the problem with the weights w_i of the clients in the server's direction.
    solver : A, (tau + 1, tau): (x - y_k)/eta = sum_s A_ks g_s.
    length : eta tau_eff, the step of the server along its direction.
    spare : q/(C m), the part of the clients' variance that remains in the mean of the participating ones.
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
        """Return A_ks of a client's own steps, (tau_i, tau_i), and the weights a_s of its update."""
        tau = int(self.steps[client])
        return self.solver[:tau, :tau], self.solver[tau, :tau]

    def counted(self, client: int) -> float:
        """Return c_i: ||a_i||_1 (||a_i||_1 - a_{i,-1})."""
        a = self.collected(client)[1]
        return float(a.sum() * (a.sum() - a[-1]))

    @property
    def exact(self) -> bool:
        """Whether expectations have formulas; else the run is deterministic and is simulated."""
        return isinstance(self.run.problem, Quadratic)


def run_context(run: Run, descended: Problem) -> RunContext:
    """Return the context of a run.

    Raises BoundkitError where rounds differ in distribution, are too long, or where something is random
    without exact moments.
    """
    if run.period != 1:
        raise BoundkitError("a ledger needs the same local steps, rate and participation in all rounds.")
    if int(run.local_steps.max()) > LONGEST:
        raise BoundkitError(
            f"a ledger follows every pair of a round's local steps, up to {LONGEST} of them, not "
            f"{int(run.local_steps.max())}."
        )
    participation, problem = run.participation, run.problem
    if not isinstance(participation, (Full, WithoutReplacement)):
        raise BoundkitError(f"a ledger knows full and uniform participation, not {participation.kind}.")
    count = participation.m if isinstance(participation, Full) else participation.count
    random = problem.stochastic or count < problem.m
    if (random and not isinstance(problem, Quadratic)) or problem.parts is not None:
        raise BoundkitError(
            f"this {problem.kind} run is random and its expectations have no formula: a ledger needs a "
            "quadratic problem, or full participation without noise."
        )
    solver = solver_weights(run)
    sums = solver[np.arange(len(solver)), :].sum(axis=1)[run.steps(0)]
    mass = run.eta_s * AggregationWeights(run).mean(0) * sums
    spare = (problem.m - count) / (count * (problem.m - 1)) if count < problem.m else 0.0
    return RunContext(run, descended, solver, mass / mass.sum(), run.eta * float(mass.sum()), spare)


def solver_weights(run: Run) -> Array:
    """Compute A_ks, (tau + 1, tau), the weight of gradient s in (x - y_k)/eta."""
    given = run.algorithm.settings
    stored, pull = float(given.get("momentum", 0.0)), float(given.get("mu", 0.0))
    rates = run.rates(0)
    tau = len(rates)
    weights, v, unit = np.zeros((tau + 1, tau)), np.zeros(tau), np.eye(tau)
    for k, rate in enumerate(rates):
        v = stored * v + unit[k]
        weights[k + 1] = weights[k] + rate / run.eta * v - rate * pull * weights[k]
    return weights
