"""A short description of a run: clients, losses, local steps, participation, rounds and step sizes."""

from __future__ import annotations

from collections.abc import Mapping

from boundkit.report.formatting import format_number
from boundkit.simulation.run import Run

KINDS = {"logcosh": "log-cosh", "smooth_nonconvex": "smooth non-convex", "clipping_instance": "exponential"}
"""Problem kinds whose names in words are not those of a RUN.json."""
LISTED = 4
"""Largest number of clients whose local step counts are listed one by one."""
_ABSENT = {"no noise": ("sigma",), "from the optimum": ("gap", "distance")}


def describe_run(run: Run, values: Mapping[str, float]) -> str:
    """Describe a run on one line; ``values``: the quantities of the bound at this run, by keyword."""
    steps = [f"{name} = {values[name]:.3g}" for name in ("eta", "eta_s") if values.get(name, 1.0) != 1.0]
    return ", ".join([*describe_clients(run, values), *steps, *describe_absent_errors(values)])


def describe_clients(run: Run, values: Mapping[str, float]) -> list[str]:
    """Describe number and kind of clients, dimension, local steps, participation and rounds."""
    problem = run.problem
    losses = KINDS.get(problem.kind, problem.kind.replace("_", " "))
    clients = "client" if problem.m == 1 else "clients"
    return [
        f"{problem.m} {'alike ' if problem.homogeneous and problem.m > 1 else ''}{losses} {clients}",
        f"d = {problem.d}",
        _local_steps(run),
        *_participation(run, values),
        *([f"T = {format_number(values['T'])}"] if "T" in values else []),
    ]


def describe_absent_errors(values: Mapping[str, float]) -> list[str]:
    """Name the sources of error that are 0: gradient noise, and the distance from the optimum."""
    return [words for words, absent in _ABSENT.items() if any(values.get(name) == 0.0 for name in absent)]


def _local_steps(run: Run) -> str:
    if run.tau is not None:
        return f"tau = {run.tau}"
    first = run.local_steps[0]
    if len(run.local_steps) == 1 and len(first) <= LISTED:
        return f"tau_i = {', '.join(map(str, first))}"
    return f"tau_i from {run.local_steps.min()} to {run.local_steps.max()}"


def _participation(run: Run, values: Mapping[str, float]) -> list[str]:
    kind = run.participation.kind
    if kind == "full" or values.get("C") == 1.0:
        return []
    if kind in ("uniform", "with_replacement"):
        how = "" if kind == "uniform" else " with replacement"
        return [f"C = {values['C']:.3g}{how}"] if "C" in values else [f"{kind.replace('_', ' ')} sampling"]
    return [f"{kind.replace('_', ' ')} participation"]
