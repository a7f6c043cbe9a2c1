"""Asynchronous clients: staleness of gradients and of stored updates, and wall-clock time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.families.local_sgd import shared_hessian
from boundkit.verification.family import MEASURED, AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance, vary_instance


def _gradient_of_every_client(theorem: Theorem, run: Run) -> str:
    if run.rounds >= run.problem.m:
        return ""
    m, T = run.problem.m, run.rounds
    return f"its clock starts with a gradient of each of {m} clients, and the run has {T} rounds"


def _long_enough(theorem: Theorem, instance: Instance) -> Instance:
    return replace(instance, rounds=max(instance.rounds, instance.problem.m))


def _typical(seconds: float, what: str) -> Constant:
    return Constant(
        float(seconds), "exact", f"a run has no clock: {what} is assumed to take {float(seconds):g} s"
    )


def _wall(context: EvaluationContext) -> Constant:
    """T times the duration of a round. Raises BoundkitError where no clock is assumed."""
    theorem, run = context.theorem, context.run
    y, exchange = context.value("step_time"), context.value("delay")
    steps = float(run.local_steps.max())
    if theorem.assumes("synchronous-clock"):
        return Constant(run.rounds * (steps * y + exchange), "exact", "T (tau step_time + delay)")
    if theorem.assumes("overlapped-clock"):
        return Constant(run.rounds * max(steps * y, exchange), "exact", "T max(tau step_time, delay)")
    if theorem.assumes("asynchronous-clock"):
        wall = run.rounds * (y + exchange) / run.problem.m
        return Constant(wall, "exact", "T (step_time + delay)/m")
    raise BoundkitError(f"{theorem.name} assumes no clock.")


def _clock_sweeps(theorem: Theorem) -> Sweeps | None:
    """Time and local steps without noise; clients with noise, started at the optimum."""
    if not theorem.assumes("overlapped-clock"):
        return None

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        if keyword == "m":
            instance = replace(instance, problem=shared_hessian(4, 1.0, spread=0.0), x0=np.zeros(2))
        return vary_instance(instance, "T" if keyword == "wall" else keyword, value)

    instance = Instance(
        "homogeneous",
        shared_hessian(4, 0.0, spread=0.0),
        4,
        eta=1 / 32,
        rounds=200,
        x0=np.full(2, 2.0),
    )
    return Sweeps(instance, {"wall": (100, 200, 400), "tau": (2, 4, 8), "m": (2, 4, 8, 16)}, vary)


def _one_client_a_round(theorem: Theorem, run: Run) -> str:
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    return "" if sizes == {1} else "it needs one client a round, whose gradient is the update"


def _one_at_a_time(theorem: Theorem, instance: Instance) -> Instance:
    alone = instance.participation is None and instance.schedule is None
    return replace(instance, present=1 / instance.problem.m) if alone else instance


def _drawn(theorem: Theorem, run: Run) -> str:
    participation, m = run.participation, run.problem.m
    if m > 1 and not (participation.kind == "uniform" and participation.size(0) == 1):
        return "it needs one client a round, drawn uniformly"
    given = run.algorithm.settings.get("delays", 0)
    rows = given if isinstance(given, (list, tuple)) else [given]
    own = any(isinstance(row, (list, tuple)) and len(set(row)) > 1 for row in rows)
    return "it needs ages that do not depend on the client" if own else ""


def ages_of_updates(context: EvaluationContext) -> Array:
    """The age of every client's last update in each round, (T, m), from the first aggregation on.

    With the option ``wait`` the server begins after every client has sent an update once. Raises
    BoundkitError under random participation.
    """
    run = context.run
    participation, m = run.participation, run.problem.m
    if participation.random:
        raise BoundkitError("the staleness of updates is not known under random participation.")
    last, rows, sent = np.full(m, -1), [], np.zeros(m, dtype=bool)
    waits = bool(run.algorithm.settings.get("wait", False))
    for t in range(run.rounds):
        present = participation.distribution(t).inclusion_probabilities > 0
        begun = not waits or bool(sent.all())
        sent |= present
        if not begun:
            last[:] = t if sent.all() else last
            continue
        last[present] = t
        rows.append(t - last)
    if not rows:
        raise BoundkitError("the run ends before every client has participated once.")
    return np.array(rows, dtype=np.float64)


def delays_of_gradients(context: EvaluationContext) -> Array:
    """The age of the model at which each gradient was taken, (T, m), at most the round's number."""
    given = context.run.algorithm.settings["delays"]
    rows = given if isinstance(given, (list, tuple)) else [given]
    delays = [np.broadcast_to(rows[t % len(rows)], context.run.problem.m) for t in range(context.run.rounds)]
    return np.minimum(np.array(delays, dtype=np.float64), np.arange(context.run.rounds)[:, None])


AGES: dict[str, Callable[[EvaluationContext], Array]] = {
    "async_sgd": delays_of_gradients,
    "mifa": ages_of_updates,
}
"""The ages of what the server steps with, (T, m), by algorithm."""


def _ages(context: EvaluationContext) -> Array:
    name = context.run.algorithm.name
    if name not in AGES:
        raise BoundkitError(f"the staleness of {name} is not known.")
    return AGES[name](context)


def _staleness(context: EvaluationContext) -> Constant:
    oldest = float(_ages(context).max())
    return Constant(oldest, "exact", "the largest age of an update that the server uses, in rounds")


def _staleness_mean(context: EvaluationContext) -> Constant:
    return Constant(float(_ages(context).mean()), "exact", "the mean age over clients and rounds of the run")


def _quadratic(noise: float) -> Problem:
    return Quadratic([[1.0, 0.1]] * 4, np.zeros((4, 2)), noise=noise)


def _nonconvex(noise: float) -> Problem:
    return SmoothNonconvex(np.zeros((4, 2)), noise=noise)


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Gradients that are never, always and sometimes late; delays of clients that take turns."""
    if not theorem.assumes("bounded-staleness"):
        return None
    if theorem.assumes("one-client-drawn"):
        return _instances_of_drawn_clients()
    turns = [[0], [1], [2], [3]]
    instances = [
        ("as late as clients that take turns", _quadratic(1.0), 3, 200),
        ("not convex, noise, late now and then", _nonconvex(0.5), [0, 5, 2, 5, 1], 150),
        ("no noise, always late", _quadratic(0.0), 8, 60),
        ("never late", _quadratic(1.0), 0, 200),
        ("very late, at the error floor", _quadratic(1.0), 20, 800),
        ("one update", _quadratic(0.5), 4, 1),
        ("not convex, no noise, always late", _nonconvex(0.0), 6, 100),
    ]
    return [
        Instance(
            name, problem, 1, rounds=rounds, options={"delays": delays}, x0=np.full(2, 3.0), schedule=turns
        )
        for name, problem, delays, rounds in instances
    ]


def _instances_of_drawn_clients() -> list[Instance]:
    """Heterogeneous clients, early and late."""
    unlike = Quadratic([1.0, 0.5, 0.2, 0.1], [[1.0], [-1.0], [2.0], [0.0]], noise=0.3)
    shared = Quadratic([1.0] * 4, [[1.0], [-1.0], [2.0], [-2.0]])
    nonconvex = SmoothNonconvex.random(4, 2, seed=4, noise=0.5)
    instances = [
        ("heterogeneous clients, always late", unlike, 3, 300),
        ("one Hessian, on the floor", shared, 5, 800),
        ("one Hessian, never late", shared, 0, 200),
        ("not convex, late now and then", nonconvex, [0, 5, 2], 150),
        ("one update", unlike, 4, 1),
        ("homogeneous clients", Quadratic([1.0] * 4, np.zeros((4, 1))), 2, 20),
    ]
    return [
        Instance(name, problem, rounds=rounds, options={"delays": delays}, x0=np.full(problem.d, 3.0))
        for name, problem, delays, rounds in instances
    ]


FAMILY = Family(
    assumptions={
        vocabulary.BOUNDED_STALENESS: AssumptionRule(_one_client_a_round, _one_at_a_time),
        vocabulary.ONE_CLIENT_DRAWN: AssumptionRule(_drawn, _one_at_a_time),
        vocabulary.SYNCHRONOUS_CLOCK: MEASURED,
        vocabulary.OVERLAPPED_CLOCK: MEASURED,
        vocabulary.ASYNCHRONOUS_CLOCK: AssumptionRule(_gradient_of_every_client, _long_enough),
    },
    instances=default_instances,
    constants={
        notation.staleness: _staleness,
        notation.staleness_mean: _staleness_mean,
        notation.step_time: lambda context: _typical(notation.step_time.typical, "a step"),
        notation.delay: lambda context: _typical(notation.delay.typical, "an exchange"),
        notation.wall: _wall,
    },
    sweeps=_clock_sweeps,
)
