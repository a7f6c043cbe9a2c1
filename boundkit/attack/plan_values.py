"""A plan as nested JSON values, for reduction, and as a vector of its continuous numbers, for local search.

In the vector, equal numbers stay equal and zeros stay zero, which preserves the classes of equal clients.
Positive numbers are varied on a logarithmic scale, fractions up to 1, others relative to their size.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import offset as OFFSET
from boundkit.attack.evidence import Array
from boundkit.attack.random_instances import allows_local_steps
from boundkit.simulation.participation import Full, Schedule
from boundkit.simulation.problems import problem_from_spec
from boundkit.simulation.run import Run
from boundkit.verification.families.decaying_steps import decaying_rate
from boundkit.verification.instance import Instance

PlanValues = dict[str, Any]
Path = tuple[Any, ...]
_FIELDS = ("local_steps", "rounds", "eta_s", "step", "eta", "options", "participation", "schedule")


def values_of_plan(plan: Instance) -> PlanValues:
    """Return all settings of the plan as JSON values; ``present`` counts clients."""
    given = {name: copy.deepcopy(getattr(plan, name)) for name in _FIELDS}
    steps = given["local_steps"]
    start = np.zeros(plan.problem.d) if plan.x0 is None else np.atleast_1d(plan.x0)
    return given | {
        "problem": copy.deepcopy(plan.problem.to_json()),
        "noise": plan.problem.noise_json,
        "x0": [float(v) for v in start],
        "present": max(1, round(plan.present * plan.problem.m)),
        "local_steps": steps.tolist() if isinstance(steps, np.ndarray) else steps,
    }


def plan_from_values(theorem: Theorem, values: PlanValues, origin: Instance) -> Instance:
    """Return the plan of these values, with normalised weights and symmetric Hessians.

    Raises BoundkitError where there is no such problem.
    """
    spec = copy.deepcopy(values["problem"])
    if spec.get("p") is not None and sum(spec["p"]) > 0:
        spec["p"] = (np.array(spec["p"]) / np.sum(spec["p"])).tolist()
    if "H" in spec:
        spec["H"] = [_symmetric(h) for h in spec["H"]]
    problem = problem_from_spec(spec, values["noise"])
    given = {name: copy.deepcopy(values[name]) for name in _FIELDS}
    present = min(values["present"], problem.m) / problem.m
    plan = replace(origin, problem=problem, x0=np.array(values["x0"]), present=present, **given)
    return _falling(theorem, plan)


def plan_from_run(run: Run) -> Instance:
    """Return a run as a plan with a fixed step size."""
    participation = run.participation
    full, planned = isinstance(participation, Full), isinstance(participation, Schedule)
    return Instance(
        "kept",
        run.problem,
        run.tau if run.tau is not None else run.local_steps.tolist(),
        eta_s=run.eta_s,
        rounds=run.rounds,
        eta=run.eta if run.offset is None else {"first": run.eta, "offset": run.offset},
        participation=None if full or planned else participation.to_json(),
        schedule=[list(r) for r in participation.rounds] if isinstance(participation, Schedule) else None,
        options={k: v for k, v in run.algorithm.settings.items() if v != run.algorithm.options[k]},
        x0=run.x0,
        seed=run.seed,
    )


def number_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all numbers below a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from number_paths(inner, (*path, name))
    elif isinstance(value, (list, tuple)):
        for k, inner in enumerate(value):
            yield from number_paths(inner, (*path, k))
    elif isinstance(value, (float, int, np.number)) and not isinstance(value, bool):
        yield path


def get_value(values: Any, path: Path) -> Any:
    """Return the value at a path."""
    for key in path:
        values = values[key]
    return values


def set_value(values: Any, path: Path, value: Any) -> None:
    """Replace the value at a path."""
    for key in path[:-1]:
        values = values[key]
    values[path[-1]] = value


def _symmetric(h: Any) -> Any:
    if isinstance(h, list) and h and isinstance(h[0], list):
        full = np.array(h)
        return ((full + full.T) / 2).tolist()
    return h


def _falling(theorem: Theorem, plan: Instance) -> Instance:
    """Recompute decreasing step sizes for another L and mu."""
    if not isinstance(plan.eta, dict):
        return plan
    result = plan.problem.constants(plan.problem.centre)
    if "mu" not in result:
        return plan
    L, mu = result["L"].value, result["mu"].value
    if OFFSET not in theorem.definitions:
        return replace(plan, eta={"first": 1 / (4 * L), "offset": 4 * L / mu})
    values = {"L": L, "mu": mu, "tau": float(np.max(plan.local_steps))}
    return replace(plan, eta=decaying_rate(theorem, values, plan.step))


Map = Callable[[float, float], float]
"""Map from the initial value and a coordinate, which is 0 there, to the value."""
_LARGEST = 60.0
_NAMES = frozenset({"kind", "instance", "clients"})


@dataclass(frozen=True)
class PlanCoordinate:
    """One coordinate of the vector: the paths of the values that it varies, and how."""

    paths: tuple[Path, ...]
    map: Map


def scale(value: float, z: float) -> float:
    """Scale a number, which keeps its sign."""
    return float(value * np.exp(np.clip(z, -_LARGEST, _LARGEST)))


def scale_fraction(value: float, z: float) -> float:
    """Scale a fraction, up to 1."""
    return min(1.0, scale(value, z))


def scale_count(value: float, z: float) -> int:
    """Scale a whole number, which remains at least 1."""
    return max(1, round(scale(value, z)))


def scale_above(value: float, z: float, least: float) -> float:
    """Scale a positive number, which remains at least ``least``."""
    return max(least, scale(value, z))


def shift(value: float, z: float, size: float) -> float:
    """Shift a number of any sign by multiples of ``size``."""
    return float(value + size * z)


class Parametrisation:
    """Plans near one plan: each is a vector of ``len(self)`` numbers, and ``zeros`` is the plan itself."""

    def __init__(self, theorem: Theorem, plan: Instance) -> None:
        self.theorem, self.origin, self.values = theorem, plan, values_of_plan(plan)
        self.coordinates = [*self._of_settings(), *self._of_problem()]

    def __len__(self) -> int:
        return len(self.coordinates)

    @property
    def zeros(self) -> Array:
        """The vector of the initial plan."""
        return np.zeros(len(self))

    def plan(self, vector: Array) -> Instance:
        """Return the plan of a vector. Raises BoundkitError where there is no such problem."""
        values = copy.deepcopy(self.values)
        for coordinate, z in zip(self.coordinates, vector, strict=True):
            for path in coordinate.paths:
                set_value(values, path, coordinate.map(get_value(self.values, path), float(z)))
        return plan_from_values(self.theorem, values, self.origin)

    def _of_settings(self) -> Iterator[PlanCoordinate]:
        theorem, values = self.theorem, self.values
        names = {q.name for q in theorem.quantities}
        if values["eta"] is None:
            yield PlanCoordinate((("step",),), scale_fraction)
        elif not isinstance(values["eta"], dict):
            yield PlanCoordinate((("eta",),), scale)
        if not theorem.rules and values["rounds"] > 1:
            yield PlanCoordinate((("rounds",),), scale_count)
        if "eta_s" in names and not theorem.assumes("server-step-one"):
            least = float(theorem.assumes("server-step-at-least-one"))
            yield PlanCoordinate((("eta_s",),), partial(scale_above, least=least))
        if "C" in names and values["participation"] is None:
            yield PlanCoordinate((("present",),), scale_count)
        if allows_local_steps(theorem):
            yield from self._tied(("local_steps",), lambda value: scale_count)
        yield from self._tied(("noise",), lambda value: scale)
        size = float(np.abs(np.array(values["x0"]) - self.origin.problem.centre).max()) or 1.0
        for k in range(len(values["x0"])):
            yield PlanCoordinate((("x0", k),), partial(shift, size=size))
        for name in ("options", "participation"):
            yield from self._tied((name,), lambda value: scale_fraction if value <= 1 else scale, whole=False)

    def _of_problem(self) -> Iterator[PlanCoordinate]:
        problem = self.values["problem"]
        cancel = problem["kind"] == "smooth_nonconvex"
        for name, value in problem.items():
            path: Path = ("problem", name)
            if name in _NAMES or value is None:
                continue
            if name == "p":
                if not cancel and not self.theorem.assumes("equal-weights"):
                    yield from self._tied(path, lambda value: scale, fewest=2)
            elif name == "parts" or cancel:  # their sums must stay 0: by a factor a coordinate
                every = list(number_paths(value, path))
                for last in sorted({leaf[-1] for leaf in every}):
                    yield PlanCoordinate(tuple(leaf for leaf in every if leaf[-1] == last), scale)
            elif name in ("e", "coefficients"):
                size = (
                    max(
                        (abs(get_value(self.values, leaf)) for leaf in number_paths(value, path)), default=0.0
                    )
                    or 1.0
                )
                yield from self._tied(path, lambda value, size=size: partial(shift, size=size))  # type: ignore[misc]
            else:
                yield from self._tied(path, lambda value: scale)

    def _tied(
        self, path: Path, how: Callable[[float], Map], fewest: int = 1, whole: bool = True
    ) -> Iterator[PlanCoordinate]:
        """Yield a coordinate for each non-zero value below a path; ``whole``: for integers too."""
        groups: dict[float, list[Path]] = {}
        for leaf in number_paths(get_value(self.values, path), path):
            value = get_value(self.values, leaf)
            if value and (whole or isinstance(value, float)):
                groups.setdefault(float(f"{value:.12g}"), []).append(leaf)
        if len(groups) >= fewest:
            yield from (PlanCoordinate(tuple(result), how(value)) for value, result in groups.items())
