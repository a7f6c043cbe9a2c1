"""The answer of ``boundkit skew``: the skews, the bias they allow, and where the selection ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.simulation.participation import Participation
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection import Limit, Skew, Strategy
from boundkit.verification.selection_bias import Bias


@dataclass(frozen=True, repr=False)
class Skewed:
    """The skew of a run's selection, and what follows from it.

    ``biases``: what theorems leave of the loss gap as steps tend to 0, by the skew that is put into them;
    empty where ``no_bias`` says why. ``left_out`` says why one of them has no row, or "". ``limit``: where
    small steps end; None where ``no_limit`` says why. ``along``: the skew at the models of one simulated run.
    ``note``: what else to know, or "".
    """

    participation: Participation
    strategy: Strategy
    skew: Skew
    along: Skew | None
    biases: tuple[Bias, ...]
    no_bias: str
    left_out: str
    limit: Limit | None
    no_limit: str
    optimum: Array
    note: str

    def to_dict(self) -> dict[str, Any]:
        """``skew --json``."""
        limit, found = self.limit, self.skew
        return {
            "participation": self.participation.to_json(),
            "strategy": self._described(),
            **_numbers(found),
            "Gamma": found.Gamma,
            "rho_same": found.rho_same,
            "along": None if self.along is None else _numbers(self.along),
            "bias": [bias.to_dict() for bias in self.biases],
            "no_bias": self.no_bias or None,
            "left_out": self.left_out or None,
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

    def to_text(self) -> str:
        """For a terminal."""
        from boundkit.analysis.formatting import shown

        found = self.skew
        rho = shown(found.rho_bar)
        if not found.exact:
            rho += f" certified, {shown(found.reached)} occurs"
        lines = [
            self._described(),
            "",
            f"  Gamma      {shown(found.Gamma)}   (what unlike clients cost at the optimum)",
            f"  rho_bar    {rho}   ({found.how})",
            f"  rho_tilde  {shown(found.rho_tilde)}   (at the optimum)",
            f"  rho_same   {shown(found.rho_same)}   (no skew at the model that chose is below it)",
        ]
        if self.along is not None:
            lines += [
                "",
                f"Along the run, {self.along.how}",
                f"  rho_bar    {shown(self.along.rho_bar)}",
                f"  rho_tilde  {shown(self.along.rho_tilde)}",
            ]
        lines += ["", self._bias_text()]
        if self.limit is None:
            lines += ["", f"Where small steps end: {self.no_limit}"]
        else:
            lines += [
                "",
                "As eta -> 0 the selection ends at",
                f"  model      {_vector(self.limit.model)}   ({_vector(self.optimum)} is the optimum)",
                f"  distance   {shown(self._distance(self.limit))}",
                f"  loss gap   {shown(self.limit.loss_gap)}",
            ]
        return "\n".join([*lines, *(["", f"Note: {self.note}"] if self.note else [])])

    def _described(self) -> str:
        kind, s, m = self.participation.kind, self.strategy, self.participation.m
        if s.sees_losses:
            best = "one with the largest loss" if s.count == 1 else f"{s.count} with the largest losses"
            return f"{kind}: of {s.pool} candidates out of {m} clients, the {best}"
        if s.replacement:
            return f"{kind}: {s.count} draws out of {m} clients, whatever the losses"
        return f"{kind}: {s.count} of {m} clients, whatever the losses"

    def _bias_text(self) -> str:
        from boundkit.analysis.formatting import table

        if not self.biases:
            return f"What theorems make of it: {self.no_bias}"
        columns = ["rho_bar", "rho_same", *(["along"] if self.along is not None else [])]
        rows = [[b.theorem, *(_infinite(b.with_skew.get(c)) for c in columns)] for b in self.biases]
        header = ["theorem", *(f"with {c}" if c != "along" else "along the run" for c in columns)]
        left_out = f"\n{self.left_out}" if self.left_out else ""
        return (
            "The selection bias, which no step makes smaller, is at most\n" + table(header, rows) + left_out
        )

    def _distance(self, limit: Limit) -> float:
        return float(np.linalg.norm(limit.model - self.optimum))

    def __repr__(self) -> str:
        return self.to_text()


def _numbers(found: Skew) -> dict[str, Any]:
    return {
        "rho_bar": found.rho_bar,
        "reached": found.reached,
        "exact": found.exact,
        "rho_tilde": found.rho_tilde,
        "trust": found.trust,
        "how": found.how,
    }


def _infinite(value: float | None) -> str:
    from boundkit.analysis.formatting import shown

    return "-" if value is None else shown(value) if np.isfinite(value) else "infinite"


def _vector(v: Array) -> str:
    return f"({', '.join(f'{x:.6g}' for x in v[:8])}{', ...' if len(v) > 8 else ''})"
