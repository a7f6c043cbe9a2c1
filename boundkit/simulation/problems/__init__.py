"""Families of problems, by the ``kind`` of a RUN.json; a family is added by one entry of PROBLEMS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.problems.base import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.huber import Huber
from boundkit.simulation.problems.logcosh import LogCosh
from boundkit.simulation.problems.logistic import Logistic
from boundkit.simulation.problems.network import Network
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.problems.quadratic import Quadratic
from boundkit.simulation.problems.smooth_nonconvex import SmoothNonconvex

PROBLEMS: dict[str, type[Problem]] = {
    c.kind: c
    for c in (
        Quadratic,
        Polynomial,
        Exponential,
        LogCosh,
        Huber,
        SmoothNonconvex,
        Logistic,
        ClippingProblem,
        Network,
    )
}
"""The family of each kind. A family declares its ``fields`` and is built by ``from_fields``."""
PROBLEM_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    kind: family.fields for kind, family in PROBLEMS.items()
}
"""Required and optional fields of each kind of problem."""


def problem_from_spec(spec: Any, noise: Any = 0.0) -> Problem:
    """The problem that the ``problem`` field describes, with the run's noise.

    ``noise`` is sigma, {"bound": sigma} for noise bounded by sigma, or {"sigma": sigma, "jump": p} for noise
    of two values, the negative one with probability p.

    Raises BoundkitError, naming the field.
    """
    if not isinstance(spec, Mapping) or not isinstance(spec.get("kind"), str):
        raise BoundkitError('problem must be an object with a "kind", such as "quadratic".')
    kind = spec["kind"]
    if kind not in PROBLEMS:
        raise unknown("kind of problem", kind, PROBLEMS)
    required, optional = PROBLEM_FIELDS[kind]
    fields = checked_fields(f"a {kind} problem", spec, ("kind", *required), optional, PROBLEMS[kind].nullable)
    del fields["kind"]
    if not isinstance(noise, Mapping):
        return PROBLEMS[kind].from_fields(fields, noise)
    if "jump" in noise:
        given = checked_fields("noise", noise, ("sigma", "jump"), ())
        return PROBLEMS[kind].from_fields(fields, given["sigma"]).with_jumps(given["jump"])
    given = checked_fields("noise", noise, ("bound",), ())
    return PROBLEMS[kind].from_fields(fields, given["bound"]).with_bounded_noise()


__all__ = [
    "PROBLEMS",
    "PROBLEM_FIELDS",
    "ClippingProblem",
    "Exponential",
    "Huber",
    "LogCosh",
    "Logistic",
    "Network",
    "Polynomial",
    "Problem",
    "Quadratic",
    "SmoothNonconvex",
    "problem_from_spec",
]
