"""Settings of FedAvg that differ in one letter, and the exponents of formulas over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.studies.demonstrations._replicas import slope

ETA, TAU, C, BATCH = 0.02, 4, 0.2, 2


@dataclass(frozen=True)
class Point:
    """A setting of FedAvg; ``batch`` None: full gradients."""

    eta: float = ETA
    tau: int = 1
    C: float = 1.0
    batch: int | None = None

    def settings(self, way: float) -> dict[str, Any]:
        """What ``simulate`` takes."""
        who: Any = "full" if self.C == 1 else {"kind": "uniform", "C": self.C}
        rounds = max(4, round(way / (self.eta * self.tau)))
        return {"rounds": rounds, "eta": self.eta, "local_steps": self.tau, "participation": who}


Formula = Callable[[Point], float]
"""What grows so from one point to another."""
_LACKS: dict[str, dict[str, Any]] = {
    "drift": {"tau": 1},
    "participation": {"C": 1.0},
    "noise": {"batch": None},
}
TERMS: dict[str, Formula] = {
    "drift": lambda at: at.eta**2 * at.tau * (at.tau - 1),
    "participation": lambda at: at.eta * at.tau * (1 - at.C) / at.C,
    "noise": lambda at: at.eta / (at.batch or 1),
}
"""How the term of each cause depends on what is varied."""


@dataclass(frozen=True)
class Sweep:
    """What a cause adds at ``points``, which differ in a ``letter`` read by ``x``; ``rivals``: what else one
    may think of, as formulas."""

    cause: str
    letter: str
    points: tuple[Point, ...]
    x: Formula
    rivals: Mapping[str, Formula]

    def exponent(self, formula: Formula) -> float:
        """The slope of a formula over the same points, fitted as the measured one is."""
        x = np.log([self.x(at) for at in self.points])
        return slope(x, np.log([formula(at) for at in self.points]))


_POWERS: dict[str, Formula] = {"sqrt(eta)": lambda at: at.eta**0.5, "eta": lambda at: at.eta,
                                "eta^2": lambda at: at.eta**2}  # fmt: skip
_IN_TAU: dict[str, Formula] = {"1": lambda at: 1.0, "sqrt(tau)": lambda at: at.tau**0.5,
                                "tau": lambda at: at.tau, "tau^2": lambda at: at.tau**2}  # fmt: skip
_DRIFT: dict[str, Formula] = {
    "tau": lambda at: at.tau, "tau^2": lambda at: at.tau**2, "tau - 1": lambda at: at.tau - 1,
    "tau (tau - 1)": lambda at: at.tau * (at.tau - 1), "(tau - 1)^2": lambda at: (at.tau - 1) ** 2,
}  # fmt: skip
_IN_C: dict[str, Formula] = {
    "sqrt((1-C)/C)": lambda at: ((1 - at.C) / at.C) ** 0.5, "1/C": lambda at: 1 / at.C,
    "(1-C)/C": lambda at: (1 - at.C) / at.C, "1/C^2": lambda at: 1 / at.C**2,
}  # fmt: skip
_IN_B: dict[str, Formula] = {
    "1": lambda at: 1.0, "1/sqrt(batch)": lambda at: (at.batch or 1) ** -0.5,
    "1/batch": lambda at: 1 / (at.batch or 1),
}  # fmt: skip


def sweeps(quick: bool = False) -> list[Sweep]:
    """What is varied; ``quick``: the ends of each only, of some."""
    etas, taus = (0.01, 0.02, 0.04), (2, 4, 8)
    all_of_them = [
        Sweep("drift", "tau", tuple(Point(tau=t) for t in taus), lambda at: at.tau, _DRIFT),
        Sweep("drift", "eta", tuple(Point(e, TAU) for e in etas), lambda at: at.eta, _POWERS),
        Sweep("participation", "(1-C)/C", tuple(Point(C=c) for c in (0.1, 0.2, 0.5, 0.8)),
              lambda at: (1 - at.C) / at.C, _IN_C),
        Sweep("participation", "tau", tuple(Point(tau=t, C=C) for t in (1, 2, 4)), lambda at: at.tau,
              _IN_TAU),
        Sweep("participation", "eta", tuple(Point(e, C=C) for e in etas), lambda at: at.eta, _POWERS),
        Sweep("noise", "batch", tuple(Point(batch=b) for b in (1, 2, 4, 8)), lambda at: at.batch or 1, _IN_B),
        Sweep("noise", "tau", tuple(Point(tau=t, batch=BATCH) for t in (1, 2, 4)), lambda at: at.tau,
              _IN_TAU),
        Sweep("noise", "eta", tuple(Point(e, batch=BATCH) for e in etas), lambda at: at.eta, _POWERS),
    ]  # fmt: skip
    if not quick:
        return all_of_them
    return [
        replace(one, points=one.points[:: len(one.points) - 1]) for one in all_of_them if one.letter != "eta"
    ]


def without(at: Point, cause: str) -> Point:
    """The same, less a cause."""
    return replace(at, **_LACKS[cause])
