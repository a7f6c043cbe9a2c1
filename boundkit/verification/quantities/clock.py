"""Time: what a clock shows after the rounds of a run, its steps and exchanges taking their usual time."""

from __future__ import annotations

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import delay, step_time
from boundkit.simulation.constant import Constant
from boundkit.verification.quantities.subject import Subject


def _usual(value: float, what: str) -> Constant:
    return Constant(float(value), "exact", f"a run has no clock: {what} is taken to be {float(value):g} s")


def _wall(subject: Subject) -> Constant:
    """T times what a round takes. Raises BoundkitError where no clock is assumed."""
    theorem, run = subject.theorem, subject.run
    y, exchange = subject.value("step_time"), subject.value("delay")
    steps = float(run.local_steps.max())
    if theorem.assumes("synchronous-clock"):
        return Constant(run.rounds * (steps * y + exchange), "exact", "T (tau step_time + delay)")
    if theorem.assumes("overlapped-clock"):
        return Constant(run.rounds * max(steps * y, exchange), "exact", "T max(tau step_time, delay)")
    if theorem.assumes("asynchronous-clock"):
        wall = run.rounds * (y + exchange) / run.problem.m
        return Constant(wall, "exact", "T (step_time + delay)/m")
    raise BoundkitError(f"{theorem.name} says nothing of how its clock runs.")


KNOWN = {
    "step_time": lambda subject: _usual(step_time.typical, "a step"),
    "delay": lambda subject: _usual(delay.typical, "an exchange"),
    "wall": _wall,
}
