"""A plan as nested JSON values, and back: what local search varies and the reduction simplifies."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.notation import offset as OFFSET
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
