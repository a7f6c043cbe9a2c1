"""A plan as nested lists of numbers, and back: what charts move and what shrinking cuts."""

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

Sheet = dict[str, Any]
Path = tuple[Any, ...]
_FIELDS = ("local_steps", "rounds", "eta_s", "step", "eta", "options", "participation", "schedule")


def sheet_of(plan: Instance) -> Sheet:
    """Everything of the plan, in JSON values; ``present`` counts clients."""
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


def plan_of(theorem: Theorem, sheet: Sheet, origin: Instance) -> Instance:
    """The plan of a sheet: weights sum to 1, Hessians are symmetric, a step that falls is the theorem's.

    Raises BoundkitError where there is no such problem.
    """
    told = copy.deepcopy(sheet["problem"])
    if told.get("p") is not None and sum(told["p"]) > 0:
        told["p"] = (np.array(told["p"]) / np.sum(told["p"])).tolist()
    if "H" in told:
        told["H"] = [_symmetric(h) for h in told["H"]]
    problem = problem_from_spec(told, sheet["noise"])
    given = {name: copy.deepcopy(sheet[name]) for name in _FIELDS}
    present = min(sheet["present"], problem.m) / problem.m
    plan = replace(origin, problem=problem, x0=np.array(sheet["x0"]), present=present, **given)
    return _falling(theorem, plan)


def plan_of_run(run: Run) -> Instance:
    """A run as a plan with a step of its own."""
    who = run.participation
    full, planned = isinstance(who, Full), isinstance(who, Schedule)
    return Instance(
        "kept",
        run.problem,
        run.tau if run.tau is not None else run.local_steps.tolist(),
        eta_s=run.eta_s,
        rounds=run.rounds,
        eta=run.eta if run.offset is None else {"first": run.eta, "offset": run.offset},
        participation=None if full or planned else who.to_json(),
        schedule=[list(r) for r in who.rounds] if isinstance(who, Schedule) else None,
        options={k: v for k, v in run.algorithm.settings.items() if v != run.algorithm.options[k]},
        x0=run.x0,
        seed=run.seed,
    )


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all numbers below a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, (list, tuple)):
        for k, inner in enumerate(value):
            yield from leaves(inner, (*path, k))
    elif isinstance(value, (float, int, np.number)) and not isinstance(value, bool):
        yield path


def get(sheet: Any, path: Path) -> Any:
    """What lies at a path."""
    for key in path:
        sheet = sheet[key]
    return sheet


def put(sheet: Any, path: Path, value: Any) -> None:
    """Lay something down at a path."""
    for key in path[:-1]:
        sheet = sheet[key]
    sheet[path[-1]] = value


def _symmetric(h: Any) -> Any:
    if isinstance(h, list) and h and isinstance(h[0], list):
        full = np.array(h)
        return ((full + full.T) / 2).tolist()
    return h


def _falling(theorem: Theorem, plan: Instance) -> Instance:
    """The step that falls, of a problem with another L and mu."""
    if not isinstance(plan.eta, dict):
        return plan
    found = plan.problem.constants(plan.problem.centre)
    if "mu" not in found:
        return plan
    L, mu = found["L"].value, found["mu"].value
    if OFFSET not in theorem.definitions:
        return replace(plan, eta={"first": 1 / (4 * L), "offset": 4 * L / mu})
    values = {"L": L, "mu": mu, "tau": float(np.max(plan.local_steps))}
    return replace(plan, eta=decaying_rate(theorem, values, plan.step))
