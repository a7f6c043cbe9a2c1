"""What theorems on FedAvg and local SGD ask for: steps that fall, gradients, drifts, ages and clocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import geometric_sum
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.constant import Constant, Trust
from boundkit.simulation.engines.step_engine import Step
from boundkit.simulation.participation import Full
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.quantities.subject import Subject

Array = NDArray[np.float64]
_ROUNDING = 1e-14
MOST_GRADIENTS = "largest"
"""The prefix by which a run is observed for max_i ||grad F_i(x_t)||^2, where it is."""


def gradient_bound(subject: Subject) -> Constant:
    """G of bounded-gradients: the root of the largest E||g||^2 over the local steps of the run.

    At x_t it is measured: in the mean over the clients by p_i, which is all that the proofs use, or of the
    worst client where they are chosen by their losses. Within a round a convex loss's gradient grows by
    noise alone: exactly on quadratics, and by at most L sigma eta a step in the root mean square elsewhere.
    Raises BoundkitError where losses are not convex or the step is above 2/L.
    """
    run, seen = subject.run, subject.trajectory
    if run.problem.batches is not None:
        raise BoundkitError("no bound on the gradients of mini-batches inside a round is known.")
    convex, why = run.problem.convexity()
    if not convex:
        raise BoundkitError(f"no bound on the gradients inside a round is known, because {why}.")
    L = subject.value("L")
    if run.eta > 2 / L:
        raise BoundkitError("no bound on the gradients inside a round is known for steps above 2/L.")
    at, which = _gradients_at(seen)
    falls = run.offset is not None
    if falls:
        most = len(at) * len(run.rates(0))
        refuse_larger(8 * most, f"the list of {most:,} step sizes", "use fewer rounds or local steps")
    rates = np.stack([run.rates(t) for t in range(len(at))]) if falls else run.rates(0)[None]
    if isinstance(run.problem, Quadratic):
        squares = at + _grown(run.problem, rates, worst=which != "in the weighted mean of clients")
    else:
        squares = (np.sqrt(at) + L * run.problem.noise * rates[:, :-1].sum(axis=1)) ** 2
    worst = int(np.argmax(squares))
    value = float(np.sqrt(squares[worst] + run.problem.noise**2))
    how = f"largest along the run, {which}, at round {worst}"
    return Constant(value, "estimated" if seen.random else "local", how)


def _gradients_at(seen: Trajectory) -> tuple[Array, str]:
    """E||grad F_i(x_t)||^2 for t < T, and of whom."""
    last = max(len(seen.x) - 1, 1)
    worst = f"{MOST_GRADIENTS}_gradient_norm_squared"
    if worst in seen.observed:
        return seen.mean(worst)[:last], "of the worst client"
    mean = seen.mean("gradient_norm_squared") + seen.mean("dissimilarity")
    return mean[:last], "in the weighted mean of clients"


def _grown(problem: Quadratic, rates: Array, worst: bool) -> Array:
    """What noise adds to E||grad F_i||^2 within each round, at most: rates (T, tau) to (T,).

    Along an axis of curvature h the variance of a local model goes v <- (1 - eta h)^2 v + eta^2 sigma^2/d.
    """
    h = problem.spectrum
    if len(rates) == 1 and is_constant(rates[0]):  # it only grows, to its value at the last step
        pull = float(rates[0, 0]) * h
        steps = np.float64(rates.shape[1] - 1)
        v = (pull * problem.noise) ** 2 / problem.d * geometric_sum(pull * (pull - 2), steps)
        last = v.sum(axis=-1)
        return np.asarray([last.max() if worst else last @ problem.p])
    largest = np.zeros(len(rates))
    v = np.zeros((len(rates), *h.shape))
    for eta in rates.T[:-1]:
        step = eta[:, None, None]
        v = (1 - step * h) ** 2 * v + step**2 * problem.noise**2 / problem.d
        each = (h**2 * v).sum(axis=-1)
        largest = np.maximum(largest, each.max(axis=-1) if worst else each @ problem.p)
    return largest


def least_loss_gap(subject: Subject) -> Constant:
    """Gamma = inf F - sum p_i inf F_i."""
    found = subject.run.problem.heterogeneity
    if found is None:
        raise BoundkitError("Gamma needs the least loss of every client, which is not known here.")
    return found


def _offset(subject: Subject) -> Constant:
    if subject.run.offset is None:
        raise BoundkitError("the steps of this run do not fall, so they have no offset.")
    return Constant(subject.run.offset, "exact", "the run's own")


def _sigma_mean(subject: Subject) -> Constant:
    problem = subject.run.problem
    sigma = subject.constant("sigma")
    value = sigma.value * float(np.sqrt((problem.p**2).sum()))
    said = "all clients having the same noise" if sigma.trust == "exact" else "sigma of the noisiest client"
    return Constant(value, sigma.trust, f"sqrt(sum p_i^2 sigma^2), {said}")


def one_round_from(run: Run, x: Array) -> Array:
    """Where one round of all clients takes a model, without noise."""
    still = replace(
        run, problem=run.problem.quiet(), participation=Full(run.problem.m), rounds=1, x0=x, watch={},
        virtual=False,
    )  # fmt: skip
    return np.asarray(Step(still).trajectory().x[-1])


def _drift_star(subject: Subject) -> Constant:
    run = subject.run
    optimum = run.problem.optimum
    if optimum is None:
        raise BoundkitError("the drift at the optimum needs an optimum that is known and unique.")
    if run.tau is None or run.offset is not None:
        raise BoundkitError("the drift at the optimum needs one number of local steps and one step size.")
    moved = float(np.linalg.norm(one_round_from(run, optimum) - optimum))
    if moved <= _ROUNDING * max(1.0, float(np.linalg.norm(optimum))):
        moved = 0.0
    return Constant(moved / (run.eta * run.tau), "exact", "||sum p_i (x* - x_i^tau)||/(eta tau), from x*")


def steps_of_rounds(subject: Subject) -> tuple[Array, bool]:
    """The local steps of each round, (R, T), and whether they are a sample."""
    run = subject.run
    if run.algorithm.name != "adacomm":
        return np.array([[run.steps(t).max() for t in range(run.rounds)]], dtype=np.float64), False
    seen = subject.trajectory
    return seen.observed["local_steps"][:, : max(len(seen.x) - 1, 1)], seen.random


def _tau_mean(subject: Subject) -> Constant:
    steps, sampled = steps_of_rounds(subject)
    return Constant(float(steps.mean()), _trust(sampled), "mean of the local steps of a round")


def _tau_felt(subject: Subject) -> Constant:
    steps, sampled = steps_of_rounds(subject)
    return Constant(float((steps**2).mean() / steps.mean()), _trust(sampled), "sum tau^2/sum tau over rounds")


def _trust(sampled: bool) -> Trust:
    return "estimated" if sampled else "local"


def _tau_max(subject: Subject) -> Constant:
    return Constant(float(subject.run.local_steps.max()), "exact", "AdaComm never takes more than at first")


KNOWN = {
    "G": gradient_bound,
    "Gamma": least_loss_gap,
    "offset": _offset,
    "sigma_mean": _sigma_mean,
    "drift_star": _drift_star,
    "tau_mean": _tau_mean,
    "tau_felt": _tau_felt,
    "tau_max": _tau_max,
}
