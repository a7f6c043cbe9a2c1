"""An instance in words: its clients, the steps, who comes, for how long."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.errors import BoundkitError
from boundkit.analysis.formatting import shown
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.bound_ratios import Array
from boundkit.attack.evidence import Evidence
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run

TRUSTED = {
    "exact": "its constants (L, sigma_g and the like) are exact: they follow from formulas",
    "local": "its constants (L, sigma_g and the like) are local: as large as they were along this run",
    "estimated": "its constants (L, sigma_g and the like) are estimated, with an unknown error",
}
"""How far the numbers that a bound was asked with can be trusted, in words."""


FEW = 6
"""So many clients are told of one by one."""
_WHOLE = 5e-5
_LONG = 100
_LETTERS = {"H": "Hessian", "e": "minimiser"}


def sentences(theorem: Theorem, seen: Evidence) -> list[str]:
    """What a reader needs to make the run again, a line each: all of it for up to ``FEW`` clients."""
    run = seen.run
    last = [_start(run), _steps(theorem, seen), _who(run), TRUSTED[seen.trust]]
    return [_clients(run.problem), *_each(run.problem), *last]


def _clients(problem: Problem) -> str:
    d = "1 coordinate" if problem.d == 1 else f"{problem.d} coordinates"
    clients = "1 client, whose loss is" if problem.m == 1 else f"{problem.m} clients, whose losses are"
    said = f"{clients} {problem.kind.replace('_', ' ')} in {d}"
    if problem.m > FEW and isinstance(problem, Quadratic):
        values = problem.eigenvalues
        low, high = float(values.min()), float(values.max())
        said += (
            f", eigenvalues {shown(high)}" if low == high else f", eigenvalues {shown(low)} to {shown(high)}"
        )
    if problem.m > FEW and not problem.equal_weights:
        said += f", weights {_numbers(problem.p)}"
    return said + (f", noise sigma = {shown(problem.noise)}" if problem.noise else ", no noise")


def _each(problem: Problem) -> list[str]:
    """A line for each client of few, one for all where they are alike."""
    told = {n: v for n, v in problem.to_json().items() if n not in ("kind", "p") and v is not None}
    by_client = {n: v for n, v in told.items() if isinstance(v, list) and len(v) == problem.m}
    lines = [f"{n.replace('_', ' ')} = {_nested(v)}" for n, v in told.items() if n not in by_client]
    if not by_client:
        return [line for line in lines if len(line) <= _LONG]
    rows = [
        ", ".join(f"{_LETTERS.get(n, n)} {_nested(v[i])}" for n, v in by_client.items())
        for i in range(problem.m)
    ]
    weights = ["" if problem.equal_weights else f", weight {p:.6g}" for p in problem.p]
    if problem.m == 1 or (len(set(rows)) == 1 and problem.equal_weights):
        return [*lines, rows[0] if problem.m == 1 else f"all clients are alike: {rows[0]}"]
    if problem.m > FEW:
        return [line for line in lines if len(line) <= _LONG]
    return lines + [f"client {i + 1}: {row}{w}" for i, (row, w) in enumerate(zip(rows, weights, strict=True))]


def _nested(value: object) -> str:
    if isinstance(value, list):
        inner = ", ".join(_nested(v) for v in value)
        return inner if len(value) == 1 else f"({inner})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _numbers(row: Array) -> str:
    body = ", ".join(f"{v:.6g}" for v in row[:6]) + (" ..." if len(row) > 6 else "")
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
    part = _part(run.eta / limit) if np.isfinite(limit) and limit > 0 else ""
    falling = "" if run.offset is None else f" at first, falling with offset {run.offset:.4g}"
    server = "" if run.eta_s == 1 else f", eta_s = {run.eta_s:.6g}"
    local = str(run.tau) if run.tau is not None else _numbers(run.local_steps[0].astype(np.float64))
    T = values.get("T", run.rounds)
    return f"eta = {run.eta:.6g}{falling}{part}{server}; tau = {local}; T = {T:.0f}"


def _part(part: float) -> str:
    """A step beside the largest step that the theorem allows."""
    if abs(part - 1) < _WHOLE:
        return ", the largest step allowed"
    return f", {part:.4g} times the largest step allowed"


def _who(run: Run) -> str:
    who = run.participation
    size, m = who.size(0), run.problem.m
    if who.kind == "full" or (size == m and not who.random):
        return "all clients in every round"
    if who.kind == "uniform" and size is not None:
        return f"{size} of {m} clients in a round, drawn uniformly (C = {size / m:.4g})"
    return f"{who.kind.replace('_', ' ')} participation"
