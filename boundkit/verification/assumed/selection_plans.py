"""Default instances of selection by losses: few candidates and many, one local step and several, noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boundkit.algebra import Theorem
from boundkit.algebra.notation import offset as OFFSET
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.verification.assumed.rule import Plan


def choice(count: int, d: int) -> dict[str, Any]:
    """Power of choice: of d candidates the ``count`` largest losses."""
    return {"kind": "power_of_choice", "count": count, "d": d}


def three(noise: float = 0.0) -> Quadratic:
    """Three clients on a line with one curvature: x* = 0.4, Gamma = 0.76."""
    return Quadratic([1.0] * 3, [[-1.0], [0.2], [2.0]], noise=noise)


def _rate(theorem: Theorem, problem: Problem, tau: int, part: float) -> Any:
    """``part`` of 1/(4 L), which is all that a fixed step may be; else the step that falls."""
    found = problem.constants(problem.centre)
    L, mu = found["L"].value, found["mu"].value
    if not theorem.assumes("decaying-step"):
        return part / (4 * L)
    if OFFSET not in theorem.definitions:  # the paper's, which leaves no other
        return {"first": 1 / (4 * L), "offset": 4 * L / mu}
    from boundkit.verification.assumed.steps import falling_rate

    return falling_rate(theorem, {"L": L, "mu": mu, "tau": float(tau)})


def designs(theorem: Theorem) -> Sequence[Plan]:
    """The plans of a theorem on selection; those in which the model alone decides where it asks for that."""
    unlike = [1.0, 2.0, 4.0, 1.5]
    plane = Quadratic([[1.0, 0.4], [0.5, 1.0], [1.0, 1.0], [0.4, 0.6]], [[2, 0], [0, -1], [-1, 1], [1, 2]],
                      [0.4, 0.3, 0.2, 0.1])  # fmt: skip
    power_law = Quadratic(unlike, [[-1.0], [0.5], [2.0], [0.0]], [0.4, 0.1, 0.2, 0.3], noise=0.3)

    def plan(name: str, problem: Problem, who: Any, tau: int = 1, rounds: int = 60, start: float = 3.0,
             step: float = 1.0) -> Plan:  # fmt: skip
        return Plan(
            name, problem, local_steps=tau, participation=who, options={"aggregation": "mean"}, rounds=rounds,
            x0=[start] * problem.d, eta=_rate(theorem, problem, tau, step),
        )  # fmt: skip

    plans = [
        plan("one of two candidates", three(), choice(1, 2), rounds=12),
        plan("the largest losses, several steps", three(), choice(2, 3), tau=4),
        plan("unlike curvatures and weights, noise", power_law, choice(1, 2), rounds=50),
        plan("one round from afar", three(), choice(1, 3), rounds=1, start=30.0),
        plan("drawn by their weights", plane, {"kind": "with_replacement", "count": 2}, rounds=300),
        plan("the largest loss, where it ends", three(), choice(1, 3), rounds=300, start=0.5, step=0.1),
        plan("in the plane, the largest losses", plane, choice(2, 4), tau=3, rounds=100),
        plan("one minimiser, the steepest client", Quadratic([1.0, 4.0], [[0.0], [0.0]]), choice(1, 2)),
    ]
    if not theorem.assumes("deterministic-selection"):
        plans.append(plan("two candidates, several steps", three(0.2), choice(1, 2), tau=4, rounds=40))
    return plans
