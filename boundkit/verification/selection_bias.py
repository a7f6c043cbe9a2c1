"""What the theorems on chosen clients leave of the loss gap: their selection bias, at the skews of a run.

The term is read from the catalogue. That of a fixed step, as eta tends to 0 and T grows, is the one of the
``sharp`` theorem: L Gamma (rho_tilde - rho_bar)/(mu (1 + 3 rho_bar/8)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.simulation.run import Run
from boundkit.simulation.selection import Skew
from boundkit.verification.families.selection import is_deterministic

_FAMILY = "biased_selection_strongly_convex_"
_ROUNDING = 1e-12
"""Skews that are nearer to each other are the same number, found in two ways."""


@dataclass(frozen=True)
class Bias:
    """The bias of one theorem by the skew put into it; infinite where it divides by a rho_bar of 0."""

    theorem: str
    with_skew: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The theorem and its numbers; None where infinite, and where the skew is none for that proof."""
        finite = {name: v if np.isfinite(v) else None for name, v in self.with_skew.items()}
        return {"theorem": self.theorem, **finite}


def biases(run: Run, found: Skew, along: Skew | None) -> tuple[tuple[Bias, ...], str, str]:
    """The bias of each theorem that speaks of the run's local steps, why there is none, and why one has none.

    Where tau = 1, and always in the rigorous version, the proofs compare the chosen clients with all at the
    model that chose them, so that rho_same may stand for rho_bar. A skew along the run does where the
    proofs look at nothing else.
    """
    known = run.problem.constants(run.x0)
    if "mu" not in known:
        return (), "some client is not strongly convex, and the theorems on chosen clients need that.", ""
    L, mu = known["L"].value, known["mu"].value
    decided = not run.participation.random
    rows, left_out = [], ""
    for version in ("decaying", "sharp", "rigorous"):
        at_starts = run.tau == 1 or version == "rigorous"
        if version == "sharp" and not (at_starts or decided):
            left_out = (
                f"{_FAMILY}sharp has no row: where clients take several local steps it is about choices "
                "without chance, and here chance has a say in who is chosen."
            )
            continue
        skews = {"rho_bar": (found.rho_bar, found.rho_tilde)}
        if at_starts:
            skews["rho_same"] = (found.rho_same, found.rho_tilde)
        if along is not None and (at_starts or is_deterministic(run)):
            skews["along"] = (along.rho_bar, along.rho_tilde)
        name = _FAMILY + version
        rows.append(Bias(name, {k: _bias(name, L, mu, found.Gamma, *rho) for k, rho in skews.items()}))
    return tuple(rows), "", left_out


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
