"""The skew of a run's client selection, the bias that theorems allow it, and its limit for small steps.

The bias of a theorem is its term with the cause "selection bias", at the skews of the run. That of a fixed
step, as eta tends to 0 and T grows, is that of the ``sharp`` theorem:
L Gamma (rho_tilde - rho_bar)/(mu (1 + 3 rho_bar/4)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.report import Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number, format_rounded
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation import Participation
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.selection import SelectionLimit, Skew, Strategy, skew, skew_along, strategy_of
from boundkit.simulation.selection.limit import small_step_limit, unequal_averaging
from boundkit.simulation.selection.skew import Within
from boundkit.simulation.selection.skew_minimum import skew_interval
from boundkit.simulation.simulate import simulate
from boundkit.verification.families.selection import is_deterministic, mean_local_models

_FAMILY = "biased_selection_strongly_convex_"
_ROUNDING = 1e-12
"""Skews that differ by less are equal up to rounding."""


@dataclass(frozen=True)
class SelectionBias:
    """The bias of one theorem for each skew; infinite where it divides by a rho_bar of 0."""

    theorem: str
    with_skew: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The theorem and its numbers; None where infinite, and where the proof does not admit the skew."""
        finite = {name: v if np.isfinite(v) else None for name, v in self.with_skew.items()}
        return {"theorem": self.theorem, **finite}


def selection_biases(run: Run, space: Skew, along: Skew | None) -> tuple[tuple[SelectionBias, ...], str]:
    """The bias of each theorem, and the reason why there is none.

    Where tau = 1, and always in the sharpened version, the proofs compare the selected clients with all at
    the model at which they are selected, so that rho_same may replace rho_bar. The skew along the run may
    where the proofs evaluate it at no other points.
    """
    constants = run.problem.constants(run.x0)
    if "mu" not in constants:
        return (), "some client is not strongly convex, and the theorems on chosen clients need that."
    L, mu = constants["L"].value, constants["mu"].value
    rows = []
    for version in ("decaying", "decaying_sharp"):
        at_starts = run.tau == 1 or version == "decaying_sharp"
        skews = {"rho_bar": (space.rho_bar, space.rho_tilde)}
        if at_starts:
            skews["rho_same"] = (space.rho_same, space.rho_tilde)
        if along is not None and (at_starts or is_deterministic(run)):
            skews["along"] = (along.rho_bar, along.rho_tilde)
        name = _FAMILY + version
        rows.append(
            SelectionBias(name, {k: _bias(name, L, mu, space.Gamma, *rho) for k, rho in skews.items()})
        )
    return tuple(rows), ""


def _bias(name: str, L: float, mu: float, gamma: float, rho_bar: float, rho_tilde: float) -> float:
    from sympy import lambdify

    from boundkit.algebra.notation import Gamma
    from boundkit.algebra.notation import L as CURVATURE
    from boundkit.algebra.notation import mu as CONVEXITY
    from boundkit.algebra.notation import rho_bar as BAR
    from boundkit.algebra.notation import rho_tilde as TILDE
    from boundkit.theorems import theorem

    if gamma == 0 or rho_tilde - rho_bar <= _ROUNDING:
        return 0.0
    (term,) = (t for t in theorem(name).terms if t.cause == "selection bias")
    value = lambdify([CURVATURE, CONVEXITY, Gamma, BAR, TILDE], term.expr, "math")
    try:
        return float(value(L, mu, gamma, rho_bar, rho_tilde))
    except ZeroDivisionError:
        return float("inf")


@dataclass(frozen=True, repr=False)
class SelectionSkewReport(Reported):
    """The skew of a run's selection, and its consequences; the result of ``boundkit objective --skew``.

    ``biases``: the loss gap that theorems allow as steps tend to 0, by skew; empty with the reason in
    ``no_bias``. ``limit``: the limit for small steps; None with the reason in ``no_limit``. ``along``: the
    skew at the models of one simulated run. ``note``: a remark, or "".
    """

    participation: Participation
    strategy: Strategy
    skew: Skew
    along: Skew | None
    biases: tuple[SelectionBias, ...]
    no_bias: str
    limit: SelectionLimit | None
    no_limit: str
    optimum: Array
    note: str

    def to_dict(self) -> dict[str, Any]:
        """``skew --json``."""
        limit, space = self.limit, self.skew
        return {
            "participation": self.participation.to_json(),
            "strategy": self._described(),
            **_numbers(space),
            "Gamma": space.Gamma,
            "rho_same": space.rho_same,
            "along": None if self.along is None else _numbers(self.along),
            "bias": [bias.to_dict() for bias in self.biases],
            "no_bias": self.no_bias or None,
            "limit": None
            if limit is None
            else {
                "model": limit.model.tolist(),
                "loss_gap": limit.loss_gap,
                "distance_to_optimum": self._distance(limit),
                "weights": limit.shares.tolist(),
                "error": limit.error,
            },
            "no_limit": self.no_limit or None,
            "optimum": self.optimum.tolist(),
            "note": self.note or None,
        }

    def report(self) -> Report:
        """The skew, along the run too where it was simulated, the bias that theorems allow, and the limit."""
        space = self.skew
        rho = format_number(space.rho_bar)
        if not space.exact:
            rho += f" certified, {format_number(space.reached)} occurs"
        rows = [
            ["Gamma", format_number(space.Gamma), "(heterogeneity at the optimum)"],
            ["rho_bar", rho, f"({space.how})"],
            ["rho_tilde", format_number(space.rho_tilde), "(at the optimum)"],
            ["rho_same", format_number(space.rho_same), "(no skew at the selecting model is below it)"],
        ]
        along: tuple[Table, ...] = ()
        if self.along is not None:
            skews = {"rho_bar": self.along.rho_bar, "rho_tilde": self.along.rho_tilde}
            visited = [[name, format_number(value)] for name, value in skews.items()]
            along = (Table(["", ""], visited, left=2, caption=f"Along the run, {self.along.how}"),)
        return Report(
            (
                Table(["", "", ""], rows, left=3, caption=self._described()),
                *along,
                *self._bias(),
                self._limit(),
                Sentences([f"Note: {self.note}"] if self.note else []),
            )
        )

    def _limit(self) -> Table | Sentences:
        limit = self.limit
        if limit is None:
            return Sentences([f"Limit of small steps: {self.no_limit}"])
        scale = float(np.abs([limit.model, self.optimum]).max())
        rows = [
            ["model", _vector(limit.model), f"({_vector(self.optimum)} is the optimum)"],
            ["distance", format_rounded(self._distance(limit), scale), ""],
            ["loss gap", format_number(limit.loss_gap), ""],
        ]
        return Table(["", "", ""], rows, left=3, caption="As eta -> 0 the iterate converges to")

    def _described(self) -> str:
        kind, s, m = self.participation.kind, self.strategy, self.participation.m
        if s.uses_losses:
            best = "one with the largest loss" if s.count == 1 else f"{s.count} with the largest losses"
            return f"{kind}: of {s.pool} candidates out of {m} clients, the {best}"
        if s.replacement:
            return f"{kind}: {s.count} draws out of {m} clients, whatever the losses"
        return f"{kind}: {s.count} of {m} clients, whatever the losses"

    def _bias(self) -> tuple[Sentences | Table, ...]:
        if not self.biases:
            return (Sentences([f"Bounds on the selection bias: {self.no_bias}"]),)
        columns = ["rho_bar", "rho_same", *(["along"] if self.along is not None else [])]
        rows = [[b.theorem, *(_infinite(b.with_skew.get(c)) for c in columns)] for b in self.biases]
        header = ["theorem", *(f"with {c}" if c != "along" else "along the run" for c in columns)]
        title = "The selection bias, which no step size reduces, is at most"
        return (Table(header, rows, caption=title),)

    def _distance(self, limit: SelectionLimit) -> float:
        return float(np.linalg.norm(limit.model - self.optimum))


def _numbers(skew: Skew) -> dict[str, Any]:
    return {
        "rho_bar": skew.rho_bar,
        "reached": skew.reached,
        "exact": skew.exact,
        "rho_tilde": skew.rho_tilde,
        "trust": skew.trust,
        "how": skew.how,
    }


def _infinite(value: float | None) -> str:
    return "-" if value is None else format_number(value) if np.isfinite(value) else "infinite"


def _vector(v: Array) -> str:
    return f"({', '.join(f'{x:.6g}' for x in v[:8])}{', ...' if len(v) > 8 else ''})"


@np.errstate(over="ignore", invalid="ignore")
def measure_selection_skew(run: Run, within: Within = None, along: bool = False) -> SelectionSkewReport:
    """The skew of a run's selection, the bias that theorems allow it, and its limit for small steps.

    ``within``: as for ``skew``. ``along``: simulate the run once and evaluate the skew at its models too.

    Raises BoundkitError for other problems than quadratics, for participation that is no selection strategy,
    and, with ``along``, where the run diverges.
    """
    strategy = strategy_of(run.participation)
    problem = run.problem
    if not isinstance(problem, Quadratic):
        raise BoundkitError(
            f"the skew of a selection is computed for quadratic problems, not for {problem.kind} ones."
        )
    space = skew(problem, strategy, within)
    visited = _skew_along_run(run, problem, strategy) if along else None
    rows, no_bias = selection_biases(run, space, visited)
    limit, no_limit = None, ""
    try:
        limit = small_step_limit(run)
    except BoundkitError as error:
        no_limit = str(error)
    return SelectionSkewReport(
        run.participation, strategy, space, visited, rows, no_bias, limit, no_limit, problem.centre,
        _note(run, problem, within),
    )  # fmt: skip


def _note(run: Run, problem: Quadratic, within: Within) -> str:
    sentences = []
    difference = unequal_averaging(run)
    if difference:
        sentences.append(f"the skew and the bias are those of a plain average, but {difference}.")
    if within is not None:
        low, high = skew_interval(problem, within)
        if not low <= run.x0[0] <= high:
            sentences.append(
                f"the run begins at x0 = {run.x0[0]:g}, outside [{low:g}, {high:g}], so that this rho_bar "
                "does not cover its first rounds."
            )
    return " And ".join(sentences)


def _skew_along_run(run: Run, problem: Quadratic, strategy: Strategy) -> Skew:
    trajectory = simulate(run)
    if trajectory.outcome != "done":
        raise BoundkitError(
            f"the run diverges in round {trajectory.diverged_at}, so there is no skew along it."
        )
    starts = trajectory.x[:-1]
    return skew_along(
        problem, strategy, starts, mean_local_models(run, starts) if is_deterministic(run) else None
    )
