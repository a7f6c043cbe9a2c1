"""The necessary share of a noise-drift term, maximised over instances with infinitely many clients."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.attack.infinite_clients.evidence import InfiniteEvidence, infinite_clients_apply
from boundkit.attack.infinite_clients.instances import TERM, DriftInstance, Noise, drift_instances
from boundkit.simulation.arrays import Array

_LEAST, _MOST = 1e-4, 10.0
"""Range of ``DriftInstance.beside``, in noise lengths; the least ``part``, ``up`` and ``floor``."""
_EVALUATIONS = 60


@dataclass(frozen=True)
class DriftShare:
    """``measured`` (its low end), ``bound`` and its noise-drift ``term``.

    ``share`` is (measured - the other terms)/term: the term's constant cannot be smaller than that times
    itself.
    """

    theorem: str
    measured: float
    bound: float
    term: float
    share: float
    instance: DriftInstance
    evidence: InfiniteEvidence

    @property
    def ratio(self) -> float:
        """measured/bound."""
        return self.measured / self.bound

    def to_text(self) -> str:
        """Return one line for a terminal."""
        s = self.instance
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
    """Find the instance with the largest share within ``budget`` seconds, known instances first.

    Raises BoundkitError for a theorem to which infinitely many homogeneous clients do not apply.
    """
    if not infinite_clients_apply(theorem):
        raise BoundkitError(f"infinitely many alike clients have no noise drift to show to {theorem.name}.")
    end, rng = time.monotonic() + budget, np.random.default_rng(seed)
    starts = [replace(s, noise=n) for s in drift_instances(theorem) for n in noises if _listed(s.tau, n)]
    scored = sorted(
        ((_score(theorem, instance), i, instance) for i, instance in enumerate(starts)), reverse=True
    )
    best, _, instance = scored[0]
    turn = 0
    while time.monotonic() < end:
        start = scored[turn % min(len(scored), 8)][2]
        result, at = _maximise(theorem, start, rng, end)
        best, instance = max((best, instance), (result, at), key=lambda each: each[0])
        turn += 1
    piece = instance.evidence(theorem)
    bound, term = (
        float(evaluate(expr, piece.values)[0])
        for expr in (theorem.bound.total, theorem.bound.terms[TERM].expr)
    )
    share = float(piece.shares(theorem, TERM)[0])
    return DriftShare(theorem.name, float(piece.low[0]), bound, term, share, instance, piece)


def _score(theorem: Theorem, instance: DriftInstance) -> float:
    try:
        return float(np.nan_to_num(instance.evidence(theorem).ratios(theorem)[0]))
    except BoundkitError:
        return 0.0


def _maximise(
    theorem: Theorem, start: DriftInstance, rng: np.random.Generator, end: float
) -> tuple[float, DriftInstance]:
    """Return the best of a Nelder-Mead search from a randomly shifted start."""
    best = (0.0, start)

    def negated_share(z: Array) -> float:
        nonlocal best
        if time.monotonic() > end:
            return 0.0
        instance = _shifted(start, z)
        result = _score(theorem, instance)
        best = max(best, (result, instance), key=lambda each: each[0])
        return -result

    minimize(negated_share, 0.5 * rng.normal(size=4), method="Nelder-Mead", options={"maxfev": _EVALUATIONS})
    return best


def _shifted(instance: DriftInstance, z: Array) -> DriftInstance:
    """Return the instance with each number scaled by e^z, within its range."""
    factor = np.exp(np.clip(z, -20, 20))
    up = instance.up * factor[2] / (1 + instance.up * (factor[2] - 1))
    return replace(
        instance,
        part=float(np.clip(instance.part * factor[0], _LEAST, 1.0)),
        beside=float(np.clip(instance.beside * factor[1], _LEAST, _MOST)),
        up=float(np.clip(up, _LEAST, 1 - _LEAST)),
        floor=float(np.clip(instance.floor * factor[3], _LEAST, 1.0)) if instance.floor else 0.0,
    )


def _listed(tau: int, noise: Noise) -> bool:
    return tau <= {"two-point": 12, "gaussian": 16, "splitting": 10**6}[noise]
