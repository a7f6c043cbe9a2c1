"""Limit of an algorithm: the fixed point or cycle of its expected round map.

On quadratics the expected round is affine in the expected state, so its fixed point is a linear
solve. The map is computed from the algorithm's own code (engines/affine_rounds.py, engines/state_maps.py),
the expectation from the distribution of participation. Under sampling the iterate itself keeps fluctuating;
its mean converges to this limit. With client state, conserved quantities stay at their initial values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.affine_limit import SLOW, TOO_SLOW, limit_of, refuse_overflow
from boundkit.simulation.algorithms import State
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.affine_rounds import AffineRounds
from boundkit.simulation.engines.moments import RoundMean
from boundkit.simulation.engines.state_maps import StateMaps
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.run import Run

_SAME = 1e-11
_UNDETERMINED = 1e13
_CYCLES = 200
"""Periods after which periodic counters have entered their cycle."""


class NoFixedPoint(BoundkitError):
    """A run whose rounds never repeat: a counter grows without limit, or the step size decreases."""


@dataclass(frozen=True)
class FixedPoint:
    """The limit of E x_t: ``points`` (period, d), all equal where it is one point.

    ``spectral_radius``: the convergence factor of the mean over one period; at 1 or above it does
    not converge. ``residual``: the change of the first point over one period, relative to the points' size.
    ``models``: the limits of further observed points, (period, d) each, by prefix. ``states``:
    the limit of the whole state, (period, N), for algorithms with client state.
    """

    points: Array
    spectral_radius: float
    residual: float
    models: dict[str, Array]
    states: Array | None = None

    @property
    def is_point(self) -> bool:
        """Whether the limit is one point rather than a cycle."""
        return bool(np.ptp(self.points, axis=0).max() <= _SAME * max(1.0, float(np.abs(self.points).max())))

    @property
    def stable(self) -> bool:
        """Whether the mean converges; a factor that differs from 1 only by rounding does not count."""
        return not self.spectral_radius >= 1 - SLOW


def fixed_point(run: Run, weights: Sequence[Array] | None = None) -> FixedPoint:
    """The limit of the expected iterate; ``weights`` are E w_i for each round of a period, exact by default.

    Raises BoundkitError where the problem is not quadratic, or no limit is determined: where no client
    ever participates, a direction has no gradient, or the step size keeps decaying; TooManySubsets where the
    exact expectation is infeasible, NotAffine and NoClosedForm where there is no such map.
    """
    if run.offset is not None:
        raise NoFixedPoint("a decreasing step size has no fixed point of its own.")
    return _stateless_limit(run, weights) if run.algorithm.stateless else _stateful_limit(run)


def _stateless_limit(run: Run, weights: Sequence[Array] | None) -> FixedPoint:
    affine = AffineRounds(run)
    if weights is None:
        weights = [affine.weighing.mean(t) for t in range(run.period)]
    rounds = [RoundMean(affine, t, w) for t, w in enumerate(weights)]
    zero = np.zeros_like(affine.centre)
    s = zero.shape[-1]

    def period(v: Array) -> Array:
        return reduce(lambda u, step: step.mean(u), rounds, v)

    constant = period(zero)
    A = np.stack([period(zero + row) - constant for row in np.eye(s)], axis=-1)
    refuse_overflow(A, constant)
    values = np.linalg.svd(np.eye(s) - A, compute_uv=False)
    if (values[..., -1] <= values[..., 0] / _UNDETERMINED).any() or values.min() == 0:
        raise BoundkitError("the rounds leave a direction unchanged, so the run determines no limit.")
    if values.min() <= SLOW:
        raise BoundkitError(TOO_SLOW)
    first = np.linalg.solve(np.eye(s) - A, constant[..., None])[..., 0]
    states = [np.asarray(first, dtype=np.float64)]
    for step in rounds:
        states.append(step.mean(states[-1]))
    points = np.stack([affine.model(v) for v in states[:-1]]) + affine.problem.centre
    refuse_overflow(points)
    size = max(1.0, float(np.abs(points).max()))
    change = float(np.abs(states[-1] - states[0]).max()) / size
    return FixedPoint(points, float(np.abs(np.linalg.eigvals(A)).max()), change, {})


def _stateful_limit(run: Run) -> FixedPoint:
    state_maps = StateMaps(run)
    counters = limit_counters(state_maps)
    waiting = (
        run.algorithm.waiting(state_maps.state(state_maps.start[None], counters[0])) if counters[0] else None
    )
    if waiting is not None and bool(waiting.any()):
        raise BoundkitError("the run never begins: some client never participates.")
    maps = [state_maps.mean(t, c) for t, c in enumerate(counters)]
    A, b = np.eye(state_maps.size), np.zeros(state_maps.size)
    for step, shift in maps:
        A, b = step @ A, step @ b + shift
    limit = limit_of(A, b, state_maps.start, state_maps.model)
    states = [limit.points]
    for step, shift in maps:
        states.append(step @ states[-1] + shift)
    observed = state_maps.models().items()
    models = {k.rstrip("_"): np.stack([P @ s + p for s in states[:-1]]) for k, (P, p) in observed}
    points = models.pop("")
    refuse_overflow(points)
    size = max(1.0, float(np.abs(points).max()))
    change = float(np.abs(states[-1] - states[0]).max()) / size
    return FixedPoint(points, limit.spectral_radius, change, models, np.stack(states[:-1]))


def period_from(run: Run, limit: FixedPoint) -> Array:
    """The model after a period of rounds of the algorithm from its limit, step by step.

    It starts from the limit of the whole state. Raises BoundkitError where participation is random.
    """
    if limit.states is None:
        one = replace(run, x0=limit.points[0], rounds=run.period)
        return np.asarray(StepEngine(one).trajectory().x[-1])
    state_maps, state = StateMaps(run), limit.states[0]
    for t, counters in enumerate(limit_counters(state_maps)):
        state = state_maps.step(t, state, counters)
    P, p = state_maps.models()[""]
    return np.asarray(P @ state + p)


def limit_counters(state_maps: StateMaps) -> list[State]:
    """The counters before each round of a period, once they repeat, or their limit by the algorithm's rule.

    Raises BoundkitError where they do neither.
    """
    run, counters = state_maps.run, state_maps.counters
    if not counters:
        return [{} for _ in range(run.period)]
    probabilities = np.stack(
        [run.participation.distribution(t).inclusion_probabilities for t in range(run.period)]
    )
    certain = all(run.participation.distribution(t).deterministic for t in range(run.period))
    if certain:
        for _ in range(_CYCLES):
            cycle = _cycle(state_maps, counters)
            if _equal(cycle[-1], counters):
                return cycle[:-1]
            counters = cycle[-1]
    state = state_maps.state(state_maps.start[None], counters)
    limits = run.algorithm.limit_of_counters(state, probabilities)
    limits = {n: limits[n] for n in counters}
    if _equal(limits, counters):
        raise NoFixedPoint(
            f"{run.algorithm.name} counts rounds, and its counts have no limit here; "
            "with random participation the limit can only be estimated."
        )
    return [limits] * run.period


def _cycle(state_maps: StateMaps, counters: State) -> list[State]:
    states = [counters]
    for t in range(state_maps.run.period):
        states.append(state_maps.counters_after(t, states[-1]))
    return states


def _equal(a: State, b: State) -> bool:
    return all(bool((a[n] == b[n]).all()) for n in a)
