"""The setting of what was measured in a few words, beside the number that it gave."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.formatting import shown
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.mutation.measurements import Held
from boundkit.simulation.run import Run
from boundkit.verification.checks.fixed_point import FOREVER

KINDS = {"logcosh": "log-cosh", "smooth_nonconvex": "smooth non-convex", "clipping_instance": "exponential"}
"""Families of problems whose words are not those of a RUN.json."""
LISTED = 4
"""So many local steps of clients are listed one by one."""
AT_THE_LIMIT = 1e-9
MANY = 1e12
"""More clients than this are infinitely many."""
_ABSENT = {"no noise": ("sigma",), "from the optimum": ("gap", "distance")}


def setting(theorem: Theorem, piece: Held, place: int) -> str:
    """Clients, losses, rounds, steps and who comes; ``place``: which of the horizons of the piece.

    Where no run has an end, which cause is alone, and the letters.
    """
    values = {name: float(series[place]) for name, series in piece.values.items()}
    run = piece.source.get("run")
    parts = _of_run(run, values) if isinstance(run, Run) else _of_cause(piece, values)
    return ", ".join([*parts, *_step(theorem, values), *_absent(run, values)])


def of_run(run: Run, values: Mapping[str, float]) -> str:
    """A run in words: clients, losses, local steps, who comes, rounds and step sizes."""
    steps = [f"{name} = {values[name]:.3g}" for name in ("eta", "eta_s") if values.get(name, 1.0) != 1.0]
    return ", ".join([*_of_run(run, values), *steps, *_absent(run, values)])


def _of_run(run: Run, values: Mapping[str, float]) -> list[str]:
    problem = run.problem
    losses = KINDS.get(problem.kind, problem.kind.replace("_", " "))
    who = "client" if problem.m == 1 else "clients"
    return [
        f"{problem.m} {'alike ' if problem.alike and problem.m > 1 else ''}{losses} {who}",
        f"d = {problem.d}",
        _local_steps(run),
        *_coming(run, values),
        *([f"T = {shown(values['T'])}"] if "T" in values else []),
    ]


def _of_cause(piece: Held, values: Mapping[str, float]) -> list[str]:
    many = values.get("m", 0.0) > MANY
    alone = "infinitely many clients" if many else f"{piece.source.get('cause')} alone, quadratic clients"
    known = ["tau"] if many else ["m", "C", "tau"]
    said = [f"{name} = {values[name]:.3g}" for name in known if name in values]
    if "T" in values:
        said.append("T to infinity" if values["T"] >= min(FOREVER, MANY) else f"T = {shown(values['T'])}")
    return [alone, *said]


def _absent(run: object, values: Mapping[str, float]) -> list[str]:
    """What is 0 in a run; that one cause is alone says as much."""
    if not isinstance(run, Run):
        return []
    return [words for words, absent in _ABSENT.items() if any(values.get(name) == 0.0 for name in absent)]


def _local_steps(run: Run) -> str:
    if run.tau is not None:
        return f"tau = {run.tau}"
    first = run.local_steps[0]
    if len(run.local_steps) == 1 and len(first) <= LISTED:
        return f"tau_i = {', '.join(map(str, first))}"
    return f"tau_i from {run.local_steps.min()} to {run.local_steps.max()}"


def _coming(run: Run, values: Mapping[str, float]) -> list[str]:
    kind = run.participation.kind
    if kind == "full" or values.get("C") == 1.0:
        return []
    if kind in ("uniform", "with_replacement"):
        how = "" if kind == "uniform" else " with replacement"
        return [f"C = {values['C']:.3g}{how}"] if "C" in values else [f"{kind.replace('_', ' ')} sampling"]
    return [f"{kind.replace('_', ' ')} participation"]


def _step(theorem: Theorem, values: Mapping[str, float]) -> list[str]:
    """eta as a share of what the conditions allow, else as it is."""
    if theorem.rules:
        return ["steps by the rule"]
    try:
        limit = float(limit_at(largest(theorem), values))
    except BoundkitError:
        limit = np.inf
    said = [] if values.get("eta_s", 1.0) == 1.0 else [f"eta_s = {values['eta_s']:.3g}"]
    if "eta" not in values:
        return said
    if not np.isfinite(limit):
        return [f"eta = {values['eta']:.3g}", *said]
    share = values["eta"] / limit
    at = "eta at its limit" if share > 1 - AT_THE_LIMIT else f"eta at {share:.3g} of its limit"
    return [at, *said]
