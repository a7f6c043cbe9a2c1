"""Quadratics of two kinds of clients: families of few parameters, for client drift.

Client drift is largest where the curvatures of the two kinds nearly cancel in a round, so that the
algorithm's fixed point lies far from the minimiser and attracts slowly. So a plan of these families can begin
at its own fixed point: the measurement of long runs is then that of the limit T -> infinity. Its parameters
vary independently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.candidate import make_candidate_run, shorten_plan
from boundkit.attack.random_instances import allows_local_steps
from boundkit.simulation.arrays import Array
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.verification.instance import Instance

Rng = np.random.Generator
Start = Literal["fixed point", "optimum", "far"]
STRUCTURED = "two kinds of clients"
_ROUNDS, _LONG = 30_000, 10_000.0
_RANGES = {
    "curvature": (np.log(1e-5), np.log(2.0)),
    "tau": (0.0, np.log(1e4)),
    "other tau": (0.0, np.log(1e4)),
    "step": (np.log(1e-4), 0.0),
    "eta_s": (np.log(1e-2), np.log(1e2)),
    "rounds": (0.0, np.log(1e6)),
    "noise": (np.log(1e-3), np.log(1e3)),
    "distance": (np.log(1e-3), np.log(1e3)),
    "weight": (-4.0, 4.0),
}
"""The range of each parameter: logarithms, and the logit of the weight."""


@dataclass(frozen=True)
class TwoKinds:
    """Plans of a theorem with two kinds of clients, as a function of a vector of parameters.

    ``clients``: of each kind. ``parameters``: names from ``_RANGES``, in the order of the vector. The first
    kind has curvature 1 and minimiser 1; the second has minimiser -1 and curvature exp(z), or exp(z) - 1
    where ``opposite``. A second direction, of curvature 1, has the noise alone. ``base``: a plan whose
    other settings are unchanged.
    """

    theorem: Theorem
    base: Instance
    clients: tuple[int, int]
    opposite: bool
    start: Start
    parameters: tuple[str, ...]
    origin: Array

    def __len__(self) -> int:
        return len(self.parameters)

    @property
    def zeros(self) -> Array:
        """The vector of the plan from which the search begins."""
        return np.zeros(len(self))

    def at(self, vector: Array) -> TwoKinds:
        """The same family with its origin moved by a vector."""
        low, high = np.array([_RANGES[name] for name in self.parameters]).T
        return replace(self, origin=np.clip(self.origin + vector, low, high))

    def plan(self, vector: Array) -> Instance:
        """The plan of a vector. Raises BoundkitError where there is no such plan, or no stable
        fixed point."""
        values = self._values(self.at(vector).origin)
        plan = self._without_start(values)
        centre = plan.problem.centre
        if self.start == "fixed point":
            limit = fixed_point(make_candidate_run(self.theorem, plan))
            if not limit.stable:
                raise BoundkitError("rounding errors would leave its fixed point, which is not stable.")
            return replace(plan, x0=limit.points[0])
        return replace(plan, x0=centre + (np.exp(values["distance"]) if self.start == "far" else 0.0))

    def affordable(self) -> TwoKinds:
        """The same family with fewer rounds and local steps where its plan would take too long."""
        shorter = shorten_plan(self.theorem, self._without_start(self._values(self.origin)))
        moved = self.origin.copy()
        for place, name in enumerate(self.parameters):
            if name == "rounds":
                moved[place] = np.log(shorter.rounds)
            elif name in ("tau", "other tau"):
                steps = np.broadcast_to(shorter.local_steps, (sum(self.clients),))
                moved[place] = np.log(float(steps[0] if name == "tau" else steps[-1]))
        return replace(self, origin=moved)

    def _values(self, vector: Array) -> dict[str, float]:
        return dict(zip(self.parameters, vector.tolist(), strict=True))

    def _without_start(self, values: dict[str, float]) -> Instance:
        """The plan that starts at the minimiser."""
        problem = self._problem(values)
        given: dict[str, Any] = {"problem": problem, "x0": problem.centre}
        if "tau" in values:
            taus = [max(1, round(np.exp(values[name]))) for name in ("tau", "other tau") if name in values]
            given["local_steps"] = taus[0] if len(taus) == 1 else np.repeat(taus, self.clients).tolist()
        if "rounds" in values:
            given["rounds"] = max(1, round(np.exp(values["rounds"])))
        for name in ("step", "eta_s"):
            if name in values:
                given[name] = float(np.exp(values[name]))
        return replace(self.base, **given)

    def _problem(self, values: dict[str, float]) -> Quadratic:
        second = float(np.exp(values["curvature"])) - self.opposite
        noise = float(np.exp(values["noise"])) if "noise" in values else 0.0
        h = np.repeat([1.0, second], self.clients)[:, None]
        e = np.repeat([1.0, -1.0], self.clients)[:, None]
        if noise:
            h, e = np.column_stack([h, np.ones(len(h))]), np.column_stack([e, np.zeros(len(e))])
        p = None
        if "weight" in values:
            of_first = 1 / (1 + np.exp(-values["weight"]))
            p = np.repeat([of_first, 1 - of_first], self.clients) / np.repeat(self.clients, self.clients)
        return Quadratic(list(h), e, p, noise=noise)


_TAUS, _FRACTIONS = (1000.0, 10.0), (1.0, 0.3)
_OPPOSITE, _CONVEX = (0.02, 0.05, 0.1, 0.2), (1e-3, 0.01, 0.1)
"""Local steps, step sizes and curvatures of the first families of every search."""


def drift_families(theorem: Theorem) -> Iterator[TwoKinds]:
    """Yield families of one client of each kind, at the fixed point, where a bound has a client drift.

    There are none where rounds follow from step sizes, or where step sizes decrease.
    """
    if theorem.rules or theorem.assumes("decaying-step") or not allows_local_steps(theorem):
        return
    if not any("drift" in label for label in theorem.bound.terms):
        return
    base = Instance(STRUCTURED, Quadratic([1.0], [[0.0]]))
    convex = theorem.assumes("convex") or theorem.assumes("strongly-convex")
    parameters = ("curvature", "tau", "rounds", "step", *["other tau"] * bool(theorem.solvers))
    for tau, step, curvature in product(_TAUS, _FRACTIONS, _CONVEX if convex else _OPPOSITE):
        origin = np.log([curvature, tau, _LONG, step, *[tau] * bool(theorem.solvers)])
        yield TwoKinds(theorem, base, (1, 1), not convex, "fixed point", parameters, origin)


def draw_family(theorem: Theorem, rng: Rng, bases: Sequence[Instance] = ()) -> TwoKinds:
    """Draw a family with a random origin; ``bases``: plans whose settings are taken over, if any."""
    names = {q.name for q in theorem.quantities}
    base = bases[int(rng.integers(len(bases)))] if bases else Instance(STRUCTURED, Quadratic([1.0], [[0.0]]))
    m = base.problem.m if bases else int(rng.choice([2, 2, 2, 3, 4, 10]))
    first = m // 2 if rng.random() < 0.5 else int(rng.integers(1, m))
    convex = theorem.assumes("convex") or theorem.assumes("strongly-convex")
    start: Start = rng.choice(["fixed point", "fixed point", "optimum", "far"])
    parameters = ["curvature"]
    if not bases:
        parameters += ["tau"] * allows_local_steps(theorem)
        parameters += ["other tau"] * bool(theorem.solvers)
        base = replace(base, present=int(rng.integers(1, m + 1)) / m if "C" in names else 1.0)
        if "eta_s" in names and not theorem.assumes("server-step-one"):
            parameters += ["eta_s"]
    parameters += ["rounds"] * (not theorem.rules)
    parameters += ["step"] * (not isinstance(base.eta, dict))
    parameters += ["noise"] * (rng.random() < 0.3) + ["distance"] * (start == "far")
    weighted = theorem.assumes("weighted-objective") or bool(theorem.solvers)
    parameters += ["weight"] * (weighted and not theorem.assumes("equal-weights"))
    origin = np.array([_draw_parameter(theorem, name, rng) for name in parameters])
    opposite = not convex and rng.random() < 0.7
    return TwoKinds(theorem, base, (first, m - first), opposite, start, tuple(parameters), origin)


def _draw_parameter(theorem: Theorem, name: str, rng: Rng) -> float:
    low, high = _RANGES[name]
    if name == "rounds":
        return float(np.log(_ROUNDS))
    if name == "step":
        return 0.0 if rng.random() < 0.6 else float(rng.uniform(low, high))
    if name == "curvature":
        high = 0.0  # L = 1
    if name == "eta_s" and (rng.random() < 0.6 or theorem.assumes("server-step-at-least-one")):
        return 0.0 if rng.random() < 0.7 else float(rng.uniform(0.0, high))
    return float(rng.uniform(low, high))
