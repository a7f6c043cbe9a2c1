"""How much of a noise-drift term infinitely many clients need: a search over shapes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.infinite_clients.evidence import InfiniteEvidence, reaches
from boundkit.attack.infinite_clients.shapes import Noise, Shape
from boundkit.attack.infinite_clients.witnesses import TERM, known_shapes
from boundkit.simulation.problems.base import Array

_LEAST, _MOST = 1e-4, 10.0
"""Of ``Shape.beside``, in walks; and the least of ``part``, of ``up`` and of ``floor``."""
_EVALUATIONS = 60


@dataclass(frozen=True)
class DriftShare:
    """``measured`` (its low end) beside ``bound`` and its noise-drift ``term``.

    ``share`` is (measured - the other terms)/term: the term's constant could be at most so many times itself.
    """

    theorem: str
    measured: float
    bound: float
    term: float
    share: float
    shape: Shape
    evidence: InfiniteEvidence

    @property
    def ratio(self) -> float:
        """measured/bound."""
        return self.measured / self.bound

    def to_text(self) -> str:
        """One line for a terminal."""
        s = self.shape
        return (
            f"{self.theorem}: measured/bound {self.ratio:.4g}, {self.share:.4g} of the noise drift "
            f"({s.noise} noise, tau = {s.tau}, eta at {s.part:.3g} of its limit)"
        )


def noise_drift_share(
    theorem: Theorem,
    budget: float = 5.0,
    seed: int = 0,
    noises: Sequence[Noise] = ("two-point", "splitting"),
) -> DriftShare:
    """The instance with the largest share that is found within so many seconds, known shapes first.

    Raises BoundkitError for a theorem that infinitely many alike clients say nothing about.
    """
    if not reaches(theorem):
        raise BoundkitError(f"infinitely many alike clients have no noise drift to show to {theorem.name}.")
    end, rng = time.monotonic() + budget, np.random.default_rng(seed)
    starts = [replace(s, noise=n) for s in known_shapes(theorem) for n in noises if _listed(s.tau, n)]
    scored = sorted(((_score(theorem, shape), i, shape) for i, shape in enumerate(starts)), reverse=True)
    best, _, shape = scored[0]
    turn = 0
    while time.monotonic() < end:
        start = scored[turn % min(len(scored), 8)][2]
        found, at = _climbed(theorem, start, rng, end)
        best, shape = max((best, shape), (found, at), key=lambda each: each[0])
        turn += 1
    piece = shape.evidence(theorem)
    bound, term = (
        float(evaluate(expr, piece.values)[0])
        for expr in (theorem.bound.total, theorem.bound.terms[TERM].expr)
    )
    share = float(piece.shares(theorem, TERM)[0])
    return DriftShare(theorem.name, float(piece.low[0]), bound, term, share, shape, piece)


def _score(theorem: Theorem, shape: Shape) -> float:
    try:
        return float(np.nan_to_num(shape.evidence(theorem).ratios(theorem)[0]))
    except BoundkitError:
        return 0.0


def _climbed(theorem: Theorem, start: Shape, rng: np.random.Generator, end: float) -> tuple[float, Shape]:
    """The best of a Nelder-Mead walk from a start that was shifted at random."""
    best = (0.0, start)

    def height(z: Array) -> float:
        nonlocal best
        if time.monotonic() > end:
            return 0.0
        shape = _shifted(start, z)
        found = _score(theorem, shape)
        best = max(best, (found, shape), key=lambda each: each[0])
        return -found

    minimize(height, 0.5 * rng.normal(size=4), method="Nelder-Mead", options={"maxfev": _EVALUATIONS})
    return best


def _shifted(shape: Shape, z: Array) -> Shape:
    """The shape with each number moved by a factor e^z, within its range."""
    factor = np.exp(np.clip(z, -20, 20))
    up = shape.up * factor[2] / (1 + shape.up * (factor[2] - 1))
    return replace(
        shape,
        part=float(np.clip(shape.part * factor[0], _LEAST, 1.0)),
        beside=float(np.clip(shape.beside * factor[1], _LEAST, _MOST)),
        up=float(np.clip(up, _LEAST, 1 - _LEAST)),
        floor=float(np.clip(shape.floor * factor[3], _LEAST, 1.0)) if shape.floor else 0.0,
    )


def _listed(tau: int, noise: Noise) -> bool:
    return tau <= {"two-point": 12, "gaussian": 16, "splitting": 10**6}[noise]
