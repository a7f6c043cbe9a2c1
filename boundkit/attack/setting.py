"""The setting of a run in a few words, beside the number that it gave."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.rendering import shown
from boundkit.analysis.step_size import largest, limit_at
from boundkit.attack.evidence import Evidence

KINDS = {"logcosh": "log-cosh", "smooth_nonconvex": "smooth non-convex", "clipping_instance": "exponential"}
"""Families of problems whose words are not those of a RUN.json."""
LISTED = 4
"""So many local steps of clients are listed one by one."""
AT_THE_LIMIT = 1e-9


def setting(theorem: Theorem, piece: Evidence, place: int) -> str:
    """Clients, losses, rounds, steps and who comes; ``place``: which of the horizons of the evidence."""
    values = {name: float(series[place]) for name, series in piece.values.items()}
    problem = piece.run.problem
    losses = KINDS.get(problem.kind, problem.kind.replace("_", " "))
    parts = [
        f"{problem.m} {'alike ' if problem.alike else ''}{losses} clients",
        f"d = {problem.d}",
        _local_steps(piece),
        *_coming(piece, values),
        f"T = {shown(values['T'])}",
        *_step(theorem, values),
        *[words for words, absent in _ABSENT.items() if any(values.get(name) == 0.0 for name in absent)],
    ]
    return ", ".join(parts)


_ABSENT = {"no noise": ("sigma",), "from the optimum": ("gap", "distance")}


def _local_steps(piece: Evidence) -> str:
    run = piece.run
    if run.tau is not None:
        return f"tau = {run.tau}"
    first = run.local_steps[0]
    if len(run.local_steps) == 1 and len(first) <= LISTED:
        return f"tau_i = {', '.join(map(str, first))}"
    return f"tau_i from {run.local_steps.min()} to {run.local_steps.max()}"


def _coming(piece: Evidence, values: Mapping[str, float]) -> list[str]:
    kind = piece.run.participation.kind
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
