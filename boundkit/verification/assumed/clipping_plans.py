"""Where theorems of clipping are held to account: steep losses from far away, three hard instances."""

from __future__ import annotations

from collections.abc import Iterator
from math import asinh
from typing import Any

import numpy as np

from boundkit.simulation.problems import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.problems.quadratic import Quadratic
from boundkit.verification.assumed.rule import Plan
from boundkit.verification.relaxed_smoothness import of_the_mean, relaxed


def descents() -> Iterator[Plan]:
    """Exact gradients of all clients, at the largest steps and at smaller ones."""
    cosh = Exponential([[0.0], [0.0]])
    apart = Exponential.random(4, 2, seed=5)
    narrow = Exponential([[0.0], [0.0]], L0=0.1, L1=3.0)
    outvoted = ClippingProblem("wrong_majority", 5, 1.0, 1.0, grad_max=4.0, gap=40.0)
    double = Polynomial([[0.25, 0.0, -0.5, 0.0, 0.0]] * 2)
    published = Polynomial([[1, -3, 1, 1, 0], [1, -3, -2, 1, 0]])
    bowl = Quadratic([[2.0, 0.5], [1.0, 0.3]], [[1.0, -1.0], [-1.0, 1.0]])
    ramp = ClippingProblem("ramp", 3, 1.0, 1.0, target=0.5, gap=20.0)
    yield _descent("hyperbolic cosine, far away", cosh, [6.0], 200)
    yield _descent("hyperbolic cosine, where clipping ends", cosh, [0.9], 100)
    yield _descent("unlike cosines", apart, [5.0, -4.0], 200)
    yield _descent("one client against four", outvoted, outvoted.start, 300)
    yield _descent("narrow cosine, one round", narrow, [2.0], 1)
    yield _descent("narrow cosine, short steps", narrow, [2.0], 400, eta=0.1)
    yield _descent("two valleys", double, [1.5], 200)
    yield _descent("the quartics published with EPISODE", published, [-3.0], 200)
    yield _descent("a quadratic, never clipped", bowl, [4.0, -3.0], 100, clip=10.0)
    yield _descent("a ramp, always clipped", ramp, ramp.start, 400, clip=0.1)


def _descent(name: str, problem: Problem, x0: Any, rounds: int, eta: float = 1.0, clip: float = 1.0) -> Plan:
    """At these parts of the largest eta and clip that the theorem allows."""
    start = np.asarray(x0, dtype=np.float64)
    found = relaxed(problem, start, 10.0) | of_the_mean(problem, start)
    return Plan(
        name,
        problem,
        rounds=rounds,
        eta=eta / (2 * found["L0"].value),
        options={"gamma": clip / (2 * found["L1"].value)},
        x0=start,
    )


def lower_instances() -> list[Plan]:
    """Steps of every kind, each on the instance that is hard for it, for as long as is claimed."""
    plans = []
    for m, L0, L1, grad_max, target, gap in (
        (3, 1.0, 1.0, 4.0, 0.5, 120.0),
        (3, 0.5, 2.0, 16.0, 1.0, 100.0),
        (5, 2.0, 0.5, 6.0, 3.0, 90.0),
    ):
        numbers = {"L0": L0, "L1": L1, "grad_max": grad_max, "target": target, "gap": gap}
        width = asinh(grad_max * L1 / L0) / L1
        edge = 2 * width / grad_max
        bound = (gap - 2 * target / L1) * L1 * grad_max / (8 * target**2 * asinh(grad_max * L1 / L0))
        for name, instance, eta, clip in (
            ("ramp: the longest safe step", "ramp", edge * (1 - 1e-9), 2 * width),
            ("ramp: half of that", "ramp", edge / 2, 4 * width),
            ("valley: a step too long", "valley", 1.05 * edge, 5 * width),
            ("valley: clipped steps too long", "valley", 4 * edge, 2 * width),
            ("majority: clipped steps", "wrong_majority", edge, 0.5 * width),
            ("majority: nearly not clipped", "wrong_majority", 0.6 * edge, 1.19 * width),
        ):
            plans.append(
                Plan(
                    f"{name}, m = {m}, M = {grad_max:g}",
                    ClippingProblem(instance, m, **numbers),
                    rounds=int(np.ceil(bound * (1.1 if eta > edge / 1.5 else 2.2))) + 1,
                    present=1 / m,
                    eta=eta,
                    options={"gamma": clip},
                    x0=ClippingProblem(instance, m, **numbers).start,
                )
            )
    return plans
