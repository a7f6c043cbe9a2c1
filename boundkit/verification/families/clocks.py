"""Wall-clock time: synchronous rounds, overlapped communication, and asynchronous clients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.verification.context import Context
from boundkit.verification.families.local_sgd import shared_hessian
from boundkit.verification.family import MEASURED, Family, Rule, Sweeps
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
        float(seconds), "exact", f"a run has no clock: {what} is taken to be {float(seconds):g} s"
    )


def _wall(context: Context) -> Constant:
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


def _sweeps(theorem: Theorem) -> Sweeps | None:
    """Time and local steps without noise; clients with noise, started at the optimum."""
    if not theorem.assumes("overlapped-clock"):
        return None

    def vary(instance: Instance, keyword: str, value: float) -> Instance:
        if keyword == "m":
            instance = replace(instance, problem=shared_hessian(4, 1.0, spread=0.0), x0=np.zeros(2))
        return vary_instance(instance, "T" if keyword == "wall" else keyword, value)

    instance = Instance(
        "alike", shared_hessian(4, 0.0, spread=0.0), 4, eta=1 / 32, rounds=200, x0=np.full(2, 2.0)
    )
    return Sweeps(instance, {"wall": (100, 200, 400), "tau": (2, 4, 8), "m": (2, 4, 8, 16)}, vary)


FAMILY = Family(
    assumptions={
        vocabulary.SYNCHRONOUS_CLOCK: MEASURED,
        vocabulary.OVERLAPPED_CLOCK: MEASURED,
        vocabulary.ASYNCHRONOUS_CLOCK: Rule(_gradient_of_every_client, _long_enough),
    },
    constants={
        notation.step_time: lambda context: _typical(notation.step_time.typical, "a step"),
        notation.delay: lambda context: _typical(notation.delay.typical, "an exchange"),
        notation.wall: _wall,
    },
    sweeps=_sweeps,
)
