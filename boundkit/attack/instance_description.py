"""Describe an instance: its clients, step sizes, participation and rounds."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import Theorem
from boundkit.algebra.errors import BoundkitError
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.evidence import Array, Evidence
from boundkit.report.formatting import format_number
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run

TRUSTED = {
    "exact": "its constants (L, sigma_g and the like) are exact: they follow from formulas",
    "local": "its constants (L, sigma_g and the like) are local: as large as they were along this run",
    "estimated": "its constants (L, sigma_g and the like) are estimated, with an unknown error",
}
"""Sentences on how far the constants in a bound can be trusted."""


FEW = 6
"""Largest number of clients that are described one by one."""
_WHOLE = 5e-5
_LONG = 100
_NAMES = {"H": "Hessian", "e": "minimiser"}


def describe_instance(theorem: Theorem, evidence: Evidence) -> list[str]:
    """Return the lines from which a reader can set up the run: all of it for up to ``FEW`` clients."""
    run = evidence.run
    last = [_start(run), _steps(theorem, evidence), _participation(run), TRUSTED[evidence.trust]]
    return [_clients(run.problem), *_client_lines(run.problem), *last]


def _clients(problem: Problem) -> str:
    d = "1 coordinate" if problem.d == 1 else f"{problem.d} coordinates"
    clients = "1 client, whose loss is" if problem.m == 1 else f"{problem.m} clients, whose losses are"
    text = f"{clients} {problem.kind.replace('_', ' ')} in {d}"
    if problem.m > FEW and isinstance(problem, Quadratic):
        values = problem.eigenvalues
        low, high = float(values.min()), float(values.max())
        text += (
            f", eigenvalues {format_number(high)}"
            if low == high
            else f", eigenvalues {format_number(low)} to {format_number(high)}"
        )
    if problem.m > FEW and not problem.equal_weights:
        text += f", weights {_numbers(problem.p)}"
    return text + (f", noise sigma = {format_number(problem.noise)}" if problem.noise else ", no noise")


def _client_lines(problem: Problem) -> list[str]:
    """Return a line for each of few clients, or one line where they are equal."""
    spec = {n: v for n, v in problem.to_json().items() if n not in ("kind", "p") and v is not None}
    by_client = {n: v for n, v in spec.items() if isinstance(v, list) and len(v) == problem.m}
    lines = [f"{n.replace('_', ' ')} = {_nested(v)}" for n, v in spec.items() if n not in by_client]
    if not by_client:
        return [line for line in lines if len(line) <= _LONG]
    rows = [
        ", ".join(f"{_NAMES.get(n, n)} {_nested(v[i])}" for n, v in by_client.items())
        for i in range(problem.m)
    ]
    weights = ["" if problem.equal_weights else f", weight {p:.6g}" for p in problem.p]
    if problem.m == 1 or (len(set(rows)) == 1 and problem.equal_weights):
        return [*lines, rows[0] if problem.m == 1 else f"all clients are equal: {rows[0]}"]
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
        distance = float(np.linalg.norm(run.x0 - run.problem.optimum))
        if distance <= 1e-9 * max(1.0, float(np.abs(run.x0).max())):
            return f"start x0 = {_numbers(run.x0)}, the optimum"
        return f"start x0 = {_numbers(run.x0)}, {distance:.4g} from the optimum"
    return f"start x0 = {_numbers(run.x0)}"


def _steps(theorem: Theorem, evidence: Evidence) -> str:
    run = evidence.run
    values = {name: float(v[-1]) for name, v in evidence.values.items()}
    try:
        limit = float(limit_at(largest(theorem), values))
    except BoundkitError:
        limit = np.inf
    part = _relative_step(run.eta / limit) if np.isfinite(limit) and limit > 0 else ""
    decreasing = "" if run.offset is None else f" at first, falling with offset {run.offset:.4g}"
    server = "" if run.eta_s == 1 else f", eta_s = {run.eta_s:.6g}"
    local = str(run.tau) if run.tau is not None else _numbers(run.local_steps[0].astype(np.float64))
    T = values.get("T", run.rounds)
    return f"eta = {run.eta:.6g}{decreasing}{part}{server}; tau = {local}; T = {T:.0f}"


def _relative_step(part: float) -> str:
    """Describe a step size relative to the largest one that the theorem allows."""
    if abs(part - 1) < _WHOLE:
        return ", the largest step allowed"
    return f", {part:.4g} times the largest step allowed"


def _participation(run: Run) -> str:
    participation = run.participation
    size, m = participation.size(0), run.problem.m
    if participation.kind == "full" or (size == m and not participation.random):
        return "all clients in every round"
    if participation.kind == "uniform" and size is not None:
        return f"{size} of {m} clients in a round, drawn uniformly (C = {size / m:.4g})"
    return f"{participation.kind.replace('_', ' ')} participation"
