"""Whole rounds as affine maps, for any algorithm: the state of the server and of all clients.

An affine round is determined by its values at a basis. So the algorithm itself takes one round, step by
step, with the basis vectors of its state as replicas; and again with the basis vectors of its noise. No map
is written beside the algorithm, and a round that is not affine fails a check at points outside the basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import State
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, as_like, to_numpy
from boundkit.simulation.engines.affine_maps import TOLERANCE, NotAffine, affinity_test_points
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.engines.recorder import RoundRecorder
from boundkit.simulation.engines.step_engine import StepEngine
from boundkit.simulation.engines.stochastic_gradients import refuse_parts
from boundkit.simulation.participation import Distribution, NoClosedForm, Participants
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import Run

LARGEST = 1500
"""Longest state that is probed."""
LISTED = 2048
"""Most outcomes of participation that are probed one by one."""
_NOISES = 50_000
_PROBES = 2**24
"""Most numbers in the states that are probed at a time."""
_CACHED = 10**8
"""Most numbers in the cached maps."""
_CACHED_COUNTERS = 1000
"""Most counters in the cache of successors."""


@dataclass(frozen=True)
class AffineMap:
    """s -> A s + b + noise of that covariance: A (N, N), b (N,), noise (N, N)."""

    A: Array
    b: Array
    noise: Array

    def __call__(self, s: Array) -> Array:
        return np.asarray(self.A @ s + self.b)


class StateMaps:
    """The affine maps of the rounds of a run.

    Raises BoundkitError where the problem is not quadratic or the state too long, NotAffine where a round
    is not affine.
    """

    def __init__(self, run: Run) -> None:
        if not isinstance(run.problem, Quadratic):
            raise BoundkitError(f"the exact engine needs a quadratic problem, not {run.problem.kind}.")
        refuse_parts(run.problem)
        if not run.algorithm.affine:
            raise NotAffine(f"a round of {run.algorithm.name} is not affine in its state.")
        self.run, self.problem = run, run.problem
        # moments depend on the noise through its covariance only, and normal noise is linear in the draws
        self._engine = StepEngine(replace(run, problem=run.problem.with_normal_noise()), 1, "float64")
        self._quiet = StepEngine(replace(run, problem=run.problem.without_noise()), 1, "float64")
        start = self._with_recorder(self._quiet, 1).begin(_NoStreams(1))
        self.counters = {n: v for n, v in start.items() if n in run.algorithm.counters}
        self.shapes = {n: tuple(v.shape[1:]) for n, v in start.items() if n not in self.counters}
        self.size = int(sum(np.prod(shape) for shape in self.shapes.values()))
        if self.size > LARGEST:
            raise BoundkitError(
                f"the state of {run.algorithm.name} has {self.size} numbers; up to {LARGEST} are probed."
            )
        self.start = self._flat(start)[0]
        at = self._position("x")
        self.model = slice(at, at + self.problem.d)
        self._maps: dict[tuple[bytes, ...], AffineMap] = {}
        self._counters_cache: dict[tuple[Any, ...], State] = {}

    def state(self, rows: Array, counters: State) -> State:
        """Rows (R, N) and counters as a state of R replicas."""
        result: State = {}
        at = 0
        for name, shape in self.shapes.items():
            width = int(np.prod(shape))
            result[name] = as_like(rows[:, at : at + width], self._quiet.like).reshape(len(rows), *shape)
            at += width
        return {**result, **{n: _repeated(v, len(rows)) for n, v in counters.items()}}

    def models(self) -> dict[str, tuple[Array, Array]]:
        """Every point at which the run is observed, as an affine function (P, p) of the state, by prefix."""
        probes = np.vstack([np.zeros(self.size), np.eye(self.size)])
        points = self.run.algorithm.models(self.state(probes, self.counters))
        result = {"": (np.eye(self.size)[self.model], np.zeros(self.problem.d))}
        for prefix, value in points.items():
            v = to_numpy(value)
            result[f"{prefix}_"] = ((v[1:] - v[0]).T, v[0])
        return result

    def counters_after(self, t: int, counters: State) -> State:
        """The counters after round t. Raises NoClosedForm where participation is random."""
        key = t % self.run.period, *(to_numpy(v).tobytes() for v in counters.values())
        if key not in self._counters_cache:
            distribution = self.run.participation.distribution(t)
            if self.counters and not distribution.deterministic:
                raise NoClosedForm(
                    f"{self.run.algorithm.name} counts rounds, and participation is random: "
                    "its state has no moments."
                )
            ((_, counts),) = distribution.enumerate()
            after = self._advanced(self._quiet, t, np.zeros((1, self.size)), counters, counts[0])
            if len(self._counters_cache) > _CACHED_COUNTERS:
                self._counters_cache.clear()
            self._counters_cache[key] = {n: after[n] for n in self.counters}
        return self._counters_cache[key]

    def step(self, t: int, state: Array, counters: State) -> Array:
        """The state after round t without noise, (N,), with deterministic participation."""
        distribution = self.run.participation.distribution(t)
        if not distribution.deterministic:
            raise BoundkitError("a round has one outcome only under deterministic participation.")
        ((_, counts),) = distribution.enumerate()
        return np.asarray(self._flat(self._advanced(self._quiet, t, state[None], counters, counts[0]))[0])

    def round(self, t: int, counts: Array, counters: State, noise: bool = True) -> AffineMap:
        """Round t with the given participation count of each client, (m,)."""
        run = self.run
        key = (run.steps_key(t), counts.tobytes(), bytes([noise]),
               *(to_numpy(v).tobytes() for v in counters.values()))  # fmt: skip
        if key not in self._maps:
            if (len(self._maps) + 1) * self.size**2 > _CACHED:
                self._maps.clear()
            A, b = self._affine_map(t, counts, counters)
            noisy = noise and bool(run.problem.noise)
            cov = self._noise_covariance(t, counts, counters) if noisy else np.zeros((self.size, self.size))
            self._maps[key] = AffineMap(A, b, cov)
        return self._maps[key]

    def outcomes(self, t: int, counters: State, noise: bool = True) -> Iterator[tuple[float, AffineMap]]:
        """Each outcome of round t with its probability. Raises TooManySubsets beyond LISTED."""
        distribution = self.run.participation.distribution(t)
        if distribution.outcomes > LISTED:
            raise TooManySubsets(
                f"participation has {distribution.outcomes:.3g} outcomes; up to {LISTED} whole rounds "
                "are probed."
            )
        for probabilities, counts in distribution.enumerate():
            for probability, c in zip(probabilities, counts, strict=True):
                yield float(probability), self.round(t, c, counters, noise)

    def mean(self, t: int, counters: State) -> tuple[Array, Array]:
        """E A and E b of round t: over all outcomes, or by linearity where the round is additive in them."""
        distribution = self.run.participation.distribution(t)
        if distribution.outcomes > LISTED:
            return self._additive(t, distribution, counters)
        A, b = np.zeros((self.size, self.size)), np.zeros(self.size)
        for probability, result in self.outcomes(t, counters, noise=False):
            A += probability * result.A
            b += probability * result.b
        return A, b

    def initial_moments(self) -> tuple[Array, Array]:
        """Mean and covariance of the state before round 0."""
        if not self.run.problem.noise:
            return self.start, np.zeros((self.size, self.size))
        used = _Basis(1)
        self._with_recorder(self._engine, 1).begin(used)
        if not used.drawn:
            return self.start, np.zeros((self.size, self.size))
        rows = self._flat(self._with_recorder(self._engine, used.drawn).begin(_Basis(used.drawn)))
        B = (rows - self.start).T
        return self.start, B @ B.T

    def _additive(self, t: int, distribution: Distribution, counters: State) -> tuple[Array, Array]:
        """The mean of a round in which each client's contribution is independent of the others."""
        rng, m = np.random.default_rng(0), self.run.problem.m
        both = []
        for order in (np.arange(m), rng.permutation(m)):
            both.append(self._balanced(t, distribution, counters, order))
        (A, b), (again, b_again) = both
        scale = max(1.0, float(np.abs(A).max()), float(np.abs(b).max()))
        if max(np.abs(A - again).max(), np.abs(b - b_again).max()) > TOLERANCE * scale:
            raise TooManySubsets(
                f"participation has {distribution.outcomes:.3g} outcomes, and the contribution of a client "
                "depends on the other participants."
            )
        return A, b

    def _balanced(
        self, t: int, distribution: Distribution, counters: State, order: NDArray[np.intp]
    ) -> tuple[Array, Array]:
        """The mean over a few outcomes that reproduce each client's inclusion frequency."""
        m, size = self.run.problem.m, distribution.fixed_size
        pool = order[np.isin(order, np.flatnonzero(distribution.first))]
        if size is None or size > len(pool):
            empty = self.round(t, np.zeros(m), counters, noise=False)
            parts = [
                (float(distribution.first[i]), self.round(t, np.eye(m)[i], counters, noise=False))
                for i in pool
            ]
            A = empty.A + sum((q * (r.A - empty.A) for q, r in parts), np.zeros_like(empty.A))
            return A, empty.b + sum((q * (r.b - empty.b) for q, r in parts), np.zeros_like(empty.b))
        if np.ptp(distribution.first[pool]) > 1e-12:
            raise TooManySubsets("clients have unequal inclusion probabilities in rounds of one size.")
        windows = (np.arange(len(pool))[:, None] + np.arange(size)) % len(pool)
        maps = [self.round(t, np.isin(np.arange(m), pool[w]).astype(float), counters, noise=False)
                for w in windows]  # fmt: skip
        return np.mean([r.A for r in maps], axis=0), np.mean([r.b for r in maps], axis=0)

    def _affine_map(self, t: int, counts: Array, counters: State) -> tuple[Array, Array]:
        base, n = self.start, self.size
        offsets = affinity_test_points(base)
        probes = np.vstack([base, base + np.eye(n), base + offsets])
        rows = self._flat(self._advanced(self._quiet, t, probes, counters, counts))
        A, at = (rows[1 : n + 1] - rows[0]).T, rows[0]
        missed = np.abs(rows[n + 1 :] - at - offsets @ A.T).max(axis=1)
        scale = np.abs(rows[: n + 1]).max() + np.abs(offsets).max(axis=1)
        if not np.isfinite(rows).all() or (missed > TOLERANCE * np.maximum(1.0, scale)).any():
            raise NotAffine(f"a round of {self.run.algorithm.name} is not affine in its state.")
        return A, at - A @ base

    def _noise_covariance(self, t: int, counts: Array, counters: State) -> Array:
        """The covariance B B' that the round's noise adds to the state, one noise number at a time."""
        run = self.run
        drawn = int(run.steps(t).max()) * int(np.count_nonzero(counts)) * run.problem.d
        if drawn > _NOISES:
            raise BoundkitError(f"a round draws {drawn} numbers; up to {_NOISES} are probed.")
        count = _Basis(1)
        at = self._flat(self._advanced(self._quiet, t, self.start[None], counters, counts))[0]
        self._advanced(self._engine, t, self.start[None], counters, counts, count)
        if count.drawn > _NOISES:
            raise BoundkitError(f"a round draws {count.drawn} numbers; up to {_NOISES} are probed.")
        cov, most = np.zeros((self.size, self.size)), max(1, _PROBES // self.size)
        for first in range(0, count.drawn, most):
            basis = _Basis(min(most, count.drawn - first), first)
            probes = np.tile(self.start, (basis.count, 1))
            B = (self._flat(self._advanced(self._engine, t, probes, counters, counts, basis)) - at).T
            B = B[:, np.abs(B).any(axis=0)]
            cov += B @ B.T
        return cov

    def _advanced(
        self,
        engine: StepEngine,
        t: int,
        rows: Array,
        counters: State,
        counts: Array,
        streams: Streams | None = None,
    ) -> State:
        clients = np.flatnonzero(counts)
        often = counts[clients].astype(np.intp)
        here = Participants(clients, None if (often == 1).all() else often)
        ready = self._with_recorder(engine, len(rows))
        with np.errstate(all="ignore"):
            return ready.advance(t, self.state(rows, counters), here, streams or _NoStreams(len(rows)))

    def _with_recorder(self, engine: StepEngine, replicas: int) -> StepEngine:
        engine.recorder = RoundRecorder(engine.run, replicas)
        return engine

    def _flat(self, state: State) -> Array:
        R = len(state["x"])
        parts = [np.broadcast_to(to_numpy(state[n]), (R, *shape)) for n, shape in self.shapes.items()]
        return np.concatenate([part.reshape(R, -1) for part in parts], axis=1)

    def _position(self, name: str) -> int:
        before = list(self.shapes)[: list(self.shapes).index(name)]
        return int(sum(np.prod(self.shapes[n]) for n in before))


def _repeated(counter: AnyArray, replicas: int) -> AnyArray:
    """A counter of one replica as that of several, each its own."""
    return array_namespace(counter).repeat(counter[:1], replicas, axis=0)


class _NoStreams(Streams):
    """Streams of a round without noise: nothing is ever drawn."""

    def __init__(self, count: int) -> None:
        self.count = count


class _Basis(Streams):
    """Streams whose number ``first`` + k is 1 in replica k, and 0 elsewhere."""

    def __init__(self, count: int, first: int = 0) -> None:
        self.count, self.first, self.drawn = count, first, 0

    def normal(self, *shape: int, dtype: Any = np.float64, purpose: str = "noise") -> NDArray[Any]:
        """The next numbers, (count, *shape)."""
        size = int(np.prod(shape))
        flat = np.zeros((self.count, size), dtype=dtype)
        hit = np.arange(max(self.drawn, self.first), min(self.drawn + size, self.first + self.count))
        flat[hit - self.first, hit - self.drawn] = 1.0
        self.drawn += size
        return flat.reshape(self.count, *shape)
