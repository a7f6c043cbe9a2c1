"""Decaying step sizes eta_t = c/(mu (offset + t)), with bounded gradients, on strongly convex losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.algebra.decaying_steps import numerator
from boundkit.algebra.notation import offset as OFFSET
from boundkit.analysis.evaluate import evaluate, first_largest, geometric_sum
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import MEASURED, AssumptionRule, Family
from boundkit.verification.instance import Instance

WORST_CLIENT = "largest"
"""The prefix under which a run records max_i ||grad F_i(x_t)||^2."""
_SAME = 1e-9
UNEQUAL_WEIGHTS = (0.35, 0.05, 0.2, 0.1, 0.25, 0.05)


def decaying_rate(theorem: Theorem, values: dict[str, Any], part: float = 1.0) -> dict[str, float]:
    """The step sizes with the theorem's least offset, or with that offset over ``part``."""
    offset = float(evaluate(theorem.definitions[OFFSET], values)) / part
    return {"first": int(numerator(theorem)) / (values["mu"] * offset), "offset": offset}


def _decays(theorem: Theorem, run: Run) -> str:
    if run.offset is None:
        return "it needs a decreasing step size, and that of the run is fixed"
    if OFFSET not in theorem.quantities:
        return ""
    first = int(numerator(theorem)) / (run.problem.constants(run.x0)["mu"].value * run.offset)
    if abs(run.eta - first) <= _SAME * first:
        return ""
    return (
        f"it is about eta = {numerator(theorem)}/(mu (offset + t)) in local step t, which starts at "
        f"{first:g} here, and the run starts at {run.eta:g}"
    )


def _with_decaying_step(theorem: Theorem, instance: Instance) -> Instance | None:
    if instance.eta is not None or OFFSET not in theorem.quantities:
        return instance
    x0 = np.zeros(instance.problem.d) if instance.x0 is None else np.asarray(instance.x0)
    constants = instance.problem.constants(x0)
    if "mu" not in constants:
        return None
    values = {name: constants[name].value for name in ("L", "mu")} | {
        "tau": float(np.max(instance.local_steps))
    }
    return replace(instance, eta=decaying_rate(theorem, values, instance.step))


def heterogeneous(noise: float, weights: tuple[float, ...] | None = None) -> Quadratic:
    """Six clients with different Hessians and minimisers."""
    drawn = Quadratic.random(6, 2, seed=5, curvature=(0.2, 1.0), spread=2.0, dense=True)
    return Quadratic(list(drawn.H), drawn.e, weights, noise=noise)


def homogeneous(noise: float) -> Quadratic:
    """Four clients with the loss ||x||^2/2."""
    return Quadratic([1.0] * 4, np.zeros((4, 2)), noise=noise)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Each error source alone (initial gap, noise, drift, client sampling), and all of them."""
    if not theorem.assumes("decaying-step"):
        return None
    p = UNEQUAL_WEIGHTS if theorem.assumes("weighted-objective") else None
    present = 0.5 if "C" in {q.name for q in theorem.quantities} else 1.0
    shared = Quadratic([1.0] * 6, heterogeneous(0.0).e)
    instances = [
        Instance("one curvature, noise, one step", homogeneous(1.0), 1, present, rounds=40, x0=np.zeros(2)),
        Instance(
            "different Hessians, noise", heterogeneous(0.5, p), 8, present, rounds=25, x0=np.full(2, 2.0)
        ),
        Instance(
            "one round, distant start", homogeneous(0.0), 1, present, step=0.1, rounds=1, x0=np.full(2, 50.0)
        ),
        Instance(
            "different Hessians, no noise, many steps", heterogeneous(0.0, p), 20, rounds=12, x0=np.zeros(2)
        ),
        Instance(
            "different Hessians, one step, distant start",
            heterogeneous(0.0, p),
            1,
            present,
            rounds=3,
            x0=np.full(2, 90.0),
        ),
        Instance(
            "a smaller step", heterogeneous(1.0, p), 4, present, step=0.3, rounds=25, x0=np.full(2, 2.0)
        ),
    ]
    if present < 1:  # client sampling is the only error source
        instances.append(
            Instance("one curvature, different minimisers", shared, 1, present, rounds=40, x0=shared.centre)
        )
    return instances


def gradient_bound(context: EvaluationContext) -> Constant:
    """G of bounded-gradients: the root of the largest E||g||^2 over the local steps of the run.

    At x_t it is measured: in the mean over the clients by p_i, which is all that the proofs use, or of the
    worst client where they are chosen by their losses. Within a round a convex loss's gradient grows by
    noise alone: exactly on quadratics, and by at most L sigma eta a step in the root mean square elsewhere.
    Raises BoundkitError where losses are not convex, and where several steps of a round are above 2/L.
    """
    run, recorded = context.run, context.trajectory
    if run.problem.batches is not None:
        raise BoundkitError("no bound on the gradients of mini-batches inside a round is known.")
    convex, why = run.problem.convexity()
    if not convex:
        raise BoundkitError(f"no bound on the gradients inside a round is known, because {why}.")
    L = context.value("L")
    if run.eta > 2 / L and run.tau != 1:
        raise BoundkitError("no bound on the gradients inside a round is known for several steps above 2/L.")
    at, which = _squared_gradients(recorded)
    decays = run.offset is not None
    if decays:
        count = len(at) * len(run.rates(0))
        refuse_larger(8 * count, f"the list of {count:,} step sizes", "use fewer rounds or local steps")
    rates = np.stack([run.rates(t) for t in range(len(at))]) if decays else run.rates(0)[None]
    if isinstance(run.problem, Quadratic):
        squares = at + _noise_growth(run.problem, rates, worst=which != "in the weighted mean of clients")
    else:
        squares = (np.sqrt(at) + L * run.problem.noise * rates[:, :-1].sum(axis=1)) ** 2
    worst = first_largest(squares)
    value = float(np.sqrt(squares[worst] + run.problem.noise**2))
    how = f"largest along the run, {which}, at round {worst}"
    return Constant(value, "estimated" if recorded.random else "local", how)


def _squared_gradients(recorded: Trajectory) -> tuple[Array, str]:
    """E||grad F_i(x_t)||^2 for t < T, and of which clients."""
    last = max(len(recorded.x) - 1, 1)
    worst = f"{WORST_CLIENT}_gradient_norm_squared"
    if worst in recorded.observed:
        return recorded.mean(worst)[:last], "of the worst client"
    mean = recorded.mean("gradient_norm_squared") + recorded.mean("dissimilarity")
    return mean[:last], "in the weighted mean of clients"


def _noise_growth(problem: Quadratic, rates: Array, worst: bool) -> Array:
    """The largest increase of E||grad F_i||^2 by noise within each round: rates (T, tau) to (T,).

    Along an axis of curvature h the variance of a local model goes v <- (1 - eta h)^2 v + eta^2 sigma^2/d.
    """
    h = problem.spectrum
    if len(rates) == 1 and is_constant(rates[0]):  # the variance is largest at the last step
        pull = float(rates[0, 0]) * h
        steps = np.asarray(rates.shape[1] - 1.0)
        first = np.square(pull * problem.noise) / problem.d
        v = np.asarray(first * geometric_sum(pull * (pull - 2), steps))
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


def heterogeneity(context: EvaluationContext) -> Constant:
    """Gamma = inf F - sum p_i inf F_i."""
    gap = context.run.problem.heterogeneity
    if gap is None:
        raise BoundkitError("Gamma needs the infimum of every client's loss, which is not known here.")
    return gap


def _offset(context: EvaluationContext) -> Constant:
    if context.run.offset is None:
        raise BoundkitError("the step sizes of this run do not decrease, so they have no offset.")
    return Constant(context.run.offset, "exact", "the run's own")


def _sigma_mean(context: EvaluationContext) -> Constant:
    problem = context.run.problem
    sigma = context.constant("sigma")
    value = sigma.value * float(np.sqrt((problem.p**2).sum()))
    how = "all clients having the same noise" if sigma.trust == "exact" else "sigma of the noisiest client"
    return Constant(value, sigma.trust, f"sqrt(sum p_i^2 sigma^2), {how}")


FAMILY = Family(
    assumptions={
        vocabulary.DECAYING_STEP: AssumptionRule(_decays, _with_decaying_step),
        vocabulary.BOUNDED_GRADIENTS: MEASURED,
        vocabulary.CLIENTWISE_NOISE: MEASURED,
    },
    instances=default_instances,
    constants={
        notation.G: gradient_bound,
        notation.Gamma: heterogeneity,
        notation.offset: _offset,
        notation.sigma_mean: _sigma_mean,
    },
)
