"""An instance in words: its clients, the steps, who comes, for how long."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.errors import BoundkitError
from boundkit.analysis.rendering import shown
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.evidence import Evidence
from boundkit.attack.scores import Array
from boundkit.verify.problems import Problem, Quadratic
from boundkit.verify.run import Run

TRUSTED = {
    "exact": "its constants (L, sigma_g and the like) are exact: they follow from formulas",
    "local": "its constants (L, sigma_g and the like) are local: as large as they were along this run",
    "estimated": "its constants (L, sigma_g and the like) are estimated, with an unknown error",
}
"""How far the numbers that a bound was asked with can be trusted, in words."""


def sentences(theorem: Theorem, seen: Evidence) -> list[str]:
    """What a reader needs to know of the run, a line each."""
    run = seen.run
    return [_clients(run.problem), _start(run), _steps(theorem, seen), _who(run), TRUSTED[seen.trust]]


def _clients(problem: Problem) -> str:
    d = "1 coordinate" if problem.d == 1 else f"{problem.d} coordinates"
    alike = ", all alike" if problem.alike else ""
    clients = "client" if problem.m == 1 else "clients"
    said = f"{problem.m} {problem.kind.replace('_', ' ')} {clients} in {d}{alike}"
    if isinstance(problem, Quadratic):
        values = problem.eigenvalues
        low, high = float(values.min()), float(values.max())
        kinds = len({tuple(np.round(row, 12)) for row in values})
        span = shown(high) if low == high else f"{shown(low)} to {shown(high)}"
        said += f", eigenvalues {span}" + ("" if kinds == 1 else f" of {kinds} kinds")
        if not problem.alike:
            said += f", minimisers {_points(problem.e)}"
    if not problem.equal_weights:
        said += f", weights {_numbers(problem.p)}"
    return said + (f", noise {shown(problem.noise)}" if problem.noise else ", no noise")


def _points(e: Array) -> str:
    rows = list(dict.fromkeys(_numbers(row) for row in e))
    return ", ".join(rows[:4]) + (" ..." if len(rows) > 4 else "")


def _numbers(row: Array) -> str:
    body = ", ".join(f"{v:.4g}" for v in row[:6]) + (" ..." if len(row) > 6 else "")
    return body if len(row) == 1 else f"({body})"


def _start(run: Run) -> str:
    if run.problem.optimum is not None:
        away = float(np.linalg.norm(run.x0 - run.problem.optimum))
        if away <= 1e-9 * max(1.0, float(np.abs(run.x0).max())):
            return f"start x0 = {_numbers(run.x0)}, the optimum"
        return f"start x0 = {_numbers(run.x0)}, {away:.4g} from the optimum"
    return f"start x0 = {_numbers(run.x0)}"


def _steps(theorem: Theorem, seen: Evidence) -> str:
    run = seen.run
    values = {name: float(v[-1]) for name, v in seen.values.items()}
    try:
        limit = float(limit_at(largest(theorem), values))
    except BoundkitError:
        limit = np.inf
    part = "" if not np.isfinite(limit) or limit <= 0 else f", {run.eta / limit:.4g} of the largest allowed"
    falling = "" if run.offset is None else f" at first, falling with offset {run.offset:.4g}"
    server = "" if run.eta_s == 1 else f", eta_s = {run.eta_s:.4g}"
    local = str(run.tau) if run.tau is not None else _numbers(run.local_steps[0].astype(np.float64))
    T = values.get("T", run.rounds)
    return f"eta = {run.eta:.4g}{falling}{part}{server}; tau = {local}; T = {T:.0f}"


def _who(run: Run) -> str:
    who = run.participation
    size, m = who.size(0), run.problem.m
    if who.kind == "full" or (size == m and not who.random):
        return "all clients in every round"
    if who.kind == "uniform" and size is not None:
        return f"{size} of {m} clients in a round, drawn uniformly (C = {size / m:.4g})"
    return f"{who.kind.replace('_', ' ')} participation"
