"""Exchanges by a common coin: Scaffnew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation import JointParticipation
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance
from boundkit.verification.surrogate import all_participate


def probability(run: Run) -> float | None:
    """The probability of an exchange, where all clients exchange their models together; else None."""
    if isinstance(run.participation, JointParticipation):
        return run.participation.probability
    return 1.0 if all_participate(run) else None


def _common(theorem: Theorem, run: Run) -> str:
    found, option = probability(run), run.algorithm.settings.get("exchange")
    if found is None:
        return "it needs participation of all clients together, or of none"
    if found == option:
        return ""
    return f"it needs the option exchange at the probability {found:g} of the run, and it is {option}"


def _arrange(theorem: Theorem, instance: Instance) -> Instance | None:
    """The instance with exchanges in a tenth of the rounds, where it has none of its own."""
    if "exchange" in instance.options:
        return instance
    if instance.participation is not None or instance.schedule is not None or instance.local_steps != 1:
        return None
    return _exchanging(instance, 0.1)


def _exchanging(instance: Instance, chance: float) -> Instance:
    together = {"kind": "together", "probability": chance}
    return replace(instance, participation=together, options={**instance.options, "exchange": chance})


def _exchange(context: EvaluationContext) -> Constant:
    found = probability(context.run)
    if found is None:
        raise BoundkitError("the probability of an exchange needs clients that participate together.")
    return Constant(found, "exact", "the probability with which all clients participate")


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Rare and frequent exchanges, unlike and homogeneous clients, with and without noise."""
    if not theorem.assumes("common-exchange"):
        return None
    unlike = Quadratic.random(4, 2, 2, dense=True, spread=2.0, curvature=(0.05, 1.0))
    noisy = Quadratic.random(4, 2, 3, dense=True, noise=0.5, spread=1.0, curvature=(0.2, 1.0))
    flat = Quadratic([0.1] * 4, np.zeros((4, 1)))
    alone = Quadratic([0.1], np.zeros((1, 1)), noise=1.0)

    def instance(name: str, problem: Problem, chance: float, rounds: int, **more: float) -> Instance:
        made = Instance(name, problem, rounds=rounds, x0=np.full(problem.d, 3.0), **more)  # type: ignore[arg-type]
        return _exchanging(made, chance)

    return [
        instance("heterogeneous clients, no noise", unlike, 0.3, 200),
        instance("heterogeneous clients, rare exchanges", unlike, 0.05, 1000),
        instance("noise", noisy, 0.2, 300),
        instance("noise, a smaller step", noisy, 0.1, 500, step=0.2),
        instance("an exchange after every step", noisy, 1.0, 100),
        instance("homogeneous clients", flat, 0.5, 20, eta=1.0),
        instance("one client, on the floor", alone, 1.0, 2000, eta=1.0),
        instance("one step", unlike, 0.5, 1),
    ]


FAMILY = Family(
    assumptions={vocabulary.COMMON_EXCHANGE: AssumptionRule(_common, _arrange)},
    instances=default_instances,
    constants={notation.exchange: _exchange},
)
