"""Limit of an algorithm: the fixed point or cycle of its expected round map.

On quadratics the expected round is affine in the expected state, so its fixed point is a linear
solve. The map is computed from the algorithm's own code (engines/affine_rounds.py, engines/state_maps.py),
the expectation from the distribution of participation. Under sampling the iterate itself keeps fluctuating;
its mean converges to this limit. With client state, conserved quantities stay at their initial values.

Where rounds are not affine or have no known distribution, ``long_run`` estimates the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import State
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import student_quantile
from boundkit.simulation.engines.affine_maps import SLOW, TOO_SLOW, limit_of, refuse_overflow
from boundkit.simulation.engines.affine_rounds import AffineRounds
from boundkit.simulation.engines.server_state_moments import RoundMeanMap
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
    rounds = [RoundMeanMap(affine, t, w) for t, w in enumerate(weights)]
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


_ROUNDS, _REPLICAS = 1000, 40
_DOUBLINGS = 4
_UNCHANGED, _EQUAL = 1e-12, 1e-9
_AGREEMENT = 0.2
"""Largest difference of two random runs at the end, as a fraction of the statistical margin."""
_NO_APPROACH, _SIGNIFICANT = 0.95, 5
"""Two runs that differ by this fraction of their initial distance and this many margins do not converge."""
_MOST_CYCLES = 8
"""Most periods of a cycle of a deterministic run."""


def long_run(run: Run, optimum: Array) -> tuple[FixedPoint, tuple[float, float]]:
    """The limit of a run, estimated from long runs: for rounds that are not affine or have no known
    distribution.

    Two runs are made, from the start and from the other side of the optimum, with the same clients and noise.
    If they agree at the end, this is the limit; otherwise they have not converged yet, or depend on the
    start. A deterministic run is followed until some periods leave it unchanged; a random one is averaged
    over the second half of its rounds, each replica counting as one number.

    Returns the limit, and an interval for the distance of its mean point to the optimum (99 % where it is
    random). Raises BoundkitError where the run diverges, never begins, or still depends on its start.
    """
    engine = StepEngine(run, 1, "float64")
    offset = run.x0 - optimum
    other = replace(run, x0=optimum - (offset if np.abs(offset).max() > 0 else 1.0))
    estimate = _average_tail if engine.random else _find_cycle
    rounds = 2 * run.period * (max(run.rounds, _ROUNDS) // (2 * run.period) + 1)
    gap, initial_gap = float("inf"), float(np.linalg.norm(run.x0 - other.x0))
    for _ in range(_DOUBLINGS):
        (limit, margin), (elsewhere, _) = (estimate(replace(r, rounds=rounds)) for r in (run, other))
        mean = limit.points.mean(axis=0)
        gap = float(np.linalg.norm(mean - elsewhere.points.mean(axis=0)))
        size = max(1.0, float(np.abs(limit.points).max()))
        if margin < float("inf") and gap <= max(_AGREEMENT * margin, _EQUAL * size):
            distance, width = float(np.linalg.norm(mean - optimum)), margin + gap
            return limit, (max(distance - width, 0.0), distance + width)
        if gap > _NO_APPROACH * initial_gap and (margin == float("inf") or gap > _SIGNIFICANT * margin):
            break
        rounds *= 2
    else:
        rounds //= 2
    raise BoundkitError(
        f"after {rounds} rounds from two starts the run ends {gap:.3g} apart: "
        "it has not converged, or its limit depends on the start."
    )


def _average_tail(run: Run) -> tuple[FixedPoint, float]:
    """The mean over the second half, and half of its 99 % interval in any direction."""
    means, models = StepEngine(run, _REPLICAS, "float64").tail_means(run.rounds // 2)
    # the largest eigenvalue of the covariance bounds the standard error in any direction
    cov = np.atleast_2d(np.cov(means, rowvar=False)) / len(means)
    deviation = max(float(np.linalg.eigvalsh(cov)[-1]), 0.0) ** 0.5
    limits = {n: v.mean(axis=0)[None] for n, v in models.items()}
    point = FixedPoint(means.mean(axis=0)[None], float("nan"), float("nan"), limits)
    return point, student_quantile(0.99, len(means) - 1) * deviation


def _find_cycle(run: Run) -> tuple[FixedPoint, float]:
    """The last periods; the margin is infinite where they differ from those before."""
    trajectory = StepEngine(run, 1, "float64").trajectory()
    if trajectory.outcome == "diverged":
        raise BoundkitError(f"the run diverges in round {trajectory.diverged_at}, so it has no limit.")
    if trajectory.outcome == "waiting":
        raise BoundkitError("the run never begins: some client never participates.")
    size = max(1.0, float(np.abs(trajectory.x[-1]).max()))
    for cycles in range(1, _MOST_CYCLES + 1):
        length = cycles * run.period
        if len(trajectory.x) <= 2 * length:
            break
        change = float(np.abs(trajectory.x[-length:] - trajectory.x[-2 * length : -length]).max()) / size
        if change <= _UNCHANGED:
            models = {n: v[-length - 1 : -1] for n, v in trajectory.models.items()}
            return FixedPoint(trajectory.x[-length - 1 : -1], float("nan"), change, models), 0.0
    return FixedPoint(trajectory.x[-run.period - 1 : -1], float("nan"), float("nan"), {}), float("inf")
