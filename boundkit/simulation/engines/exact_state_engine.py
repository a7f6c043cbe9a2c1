"""The exact engine for algorithms with client state: moments of the whole state.

With s+ = A_S s + b_S + B_S z, where S is the set of participating clients and z the noise,
    mean+ = E(A_S mean + b_S),    cov+ = E(A_S cov A_S' + B_S B_S') + cov over S of (A_S mean + b_S).
The outcomes of a round are one stack of affine maps; limits are solved for, not iterated to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.progress import Progress, reported
from boundkit.simulation.algorithms import State
from boundkit.simulation.arrays import Array, to_numpy
from boundkit.simulation.engines.affine_maps import limit_of
from boundkit.simulation.engines.aggregation_weights import TooManySubsets
from boundkit.simulation.engines.exact_observables import expectation_from_covariance, quadratic_forms
from boundkit.simulation.engines.recorder import refuse_unobserved_start
from boundkit.simulation.engines.state_maps import AffineMap, StateMaps
from boundkit.simulation.participation import NoClosedForm
from boundkit.simulation.problems.base import OBSERVABLES
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory

SHORT = 40
"""Longest state for which T is written as a matrix."""
_CONSERVED = 1e-14
_DRIFT = 1e-9
_DOUBLINGS = 60


@dataclass(frozen=True)
class Outcomes:
    """All outcomes of a round as one stack of affine maps, and their action on two moments.

    Outcome S has probability p_S and maps s to A_S s + b_S + B_S z. Covariances are mapped by
    T(c) = sum_S p_S A_S c A_S', written as one matrix on symmetric c where the state is short.

    ``probabilities`` (K,), ``A`` (K, N, N), ``b`` (K, N), and ``noise`` = sum_S p_S B_S B_S', (N, N).
    """

    probabilities: Array
    A: Array
    b: Array
    noise: Array

    @classmethod
    def of(cls, outcomes: Iterable[tuple[float, AffineMap]]) -> Outcomes:
        """Stack outcomes given as pairs of probability and map."""
        pairs = list(outcomes)
        size = len(pairs[0][1].b)
        noise = sum((p * m.noise for p, m in pairs), np.zeros((size, size)))
        return cls(
            np.array([p for p, _ in pairs]),
            np.stack([m.A for _, m in pairs]),
            np.stack([m.b for _, m in pairs]),
            noise,
        )

    @property
    def size(self) -> int:
        """N, the length of the state."""
        return int(self.b.shape[1])

    def after(self, mean: Array, cov: Array) -> tuple[Array, Array]:
        """Mean and covariance after the round."""
        after, scatter = self.mean_and_scatter(mean)
        return after, self.propagate(cov) + scatter

    def mean_and_scatter(self, mean: Array) -> tuple[Array, Array]:
        """The mean after the round, and the covariance added by participation and noise.

        Deviations are computed before squaring, so that an error floor of 0 is exactly 0.
        """
        each = self.A @ mean + self.b
        after = self.probabilities @ each
        deviations = each - after
        return after, (deviations * self.probabilities[:, None]).T @ deviations + self.noise

    def propagate(self, cov: Array) -> Array:
        """T(cov), symmetric."""
        if self.size <= SHORT:
            return self._unfold(self.operator @ cov[self._upper])
        each = self.A @ cov
        each *= self.probabilities[:, None, None]
        K, N = self.b.shape
        flat = each.transpose(1, 0, 2).reshape(N, K * N) @ self.A.transpose(0, 2, 1).reshape(K * N, N)
        return np.asarray((flat + flat.T) / 2)

    @cached_property
    def operator(self) -> Array:
        """T on the upper triangles of symmetric matrices, (N (N + 1)/2, the same)."""
        K, N = self.b.shape
        flat = self.A.reshape(K, N * N)
        pairs = ((flat * self.probabilities[:, None]).T @ flat).reshape(N, N, N, N)  # [i, k, j, l]
        i, j = self._upper
        rows = pairs[i, :, j, :]  # [(i, j), k, l]
        both = rows + rows.transpose(0, 2, 1)
        k, l = self._upper
        return np.ascontiguousarray(both[:, k, l] * np.where(k == l, 0.5, 1.0))

    def limit_covariance(self, mean: Array, start: Array) -> Array:
        """The limit covariance from ``start``, around the limit ``mean``.

        Components that no outcome changes keep their initial covariance. Raises BoundkitError where the rest
        does not converge.
        """
        W, V = self._conserved()
        rest = self if not W.shape[1] else self._restricted(V)
        if W.shape[1] and max(np.abs(W.T @ self.b.T).max(), np.abs(W.T @ self.noise).max()) > _DRIFT * max(
            1.0, float(np.abs(self.b).max())
        ):
            raise BoundkitError("the rounds add to a conserved quantity, so the moments have no limit.")
        if not V.shape[1]:
            return start
        cov, conserved = np.zeros_like(start), W.T @ start @ W
        if conserved.any():  # the conserved part is random, and so is the limit of the rest
            mixed = np.tensordot(self.probabilities, self.A, 1)
            pulled = np.linalg.solve(np.eye(V.shape[1]) - V.T @ mixed @ V, V.T @ mixed @ W) @ conserved
            cov = W @ conserved @ W.T + V @ pulled @ W.T + W @ pulled.T @ V.T
        _, scatter = self.mean_and_scatter(mean)
        added = scatter + self.propagate(cov) if conserved.any() else scatter
        return cov + V @ rest.solve(V.T @ added @ V) @ V.T

    def solve(self, added: Array) -> Array:
        """Solve c = T(c) + added. Raises BoundkitError where T does not contract.

        T maps positive matrices to positive matrices; so it contracts if and only if c = T(c) + 1 has a
        positive solution.
        """
        unit = np.eye(self.size)
        if self.size <= SHORT:
            both = np.stack([added[self._upper], unit[self._upper]], axis=1)
            try:
                solution = np.linalg.solve(np.eye(len(both)) - self.operator, both)
            except np.linalg.LinAlgError:
                raise _divergence() from None
            cov, witness = (self._unfold(np.asarray(c, dtype=np.float64)) for c in solution.T)
            if not np.isfinite(solution).all() or np.linalg.eigvalsh(witness)[0] < 0.5:
                raise _divergence()
            return cov
        return self._sum_by_doubling(added) if len(self.probabilities) == 1 else self._sum_by_rounds(added)

    def _sum_by_doubling(self, added: Array) -> Array:
        """sum_k A^k added A'^k by repeated squaring, for deterministic participation."""
        A, cov = self.A[0], added
        for _ in range(_DOUBLINGS):
            more = A @ cov @ A.T
            cov, A = cov + (more + more.T) / 2, A @ A
            if not np.isfinite(cov).all():
                break
            if np.abs(more).max() <= 1e-16 * max(float(np.abs(cov).max()), 1e-300):
                return np.asarray(cov)
        raise _divergence()

    def _sum_by_rounds(self, added: Array, most: int = 20_000) -> Array:
        cov = more = added
        for _ in range(most):
            more = self.propagate(more)
            cov = cov + more
            if not np.abs(more).max() > 1e-15 * max(float(np.abs(cov).max()), 1e-300):
                return np.asarray(cov)
        raise _divergence()

    def _conserved(self) -> tuple[Array, Array]:
        """Orthonormal W, V: W's components are equal in every outcome, and V spans the complement."""
        K, N = self.b.shape
        moved = (self.A - np.eye(N)).transpose(1, 0, 2).reshape(N, K * N)
        U, values, _ = np.linalg.svd(moved, full_matrices=False)
        conserved = values <= _CONSERVED * N * max(1.0, float(np.abs(self.b).max())) * max(
            float(values[0]), 1e-300
        )
        return (U[:, conserved], U[:, ~conserved]) if conserved.any() else (np.zeros((N, 0)), np.eye(N))

    def _restricted(self, V: Array) -> Outcomes:
        return Outcomes(self.probabilities, V.T @ self.A @ V, self.b @ V, V.T @ self.noise @ V)

    @cached_property
    def _upper(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.triu_indices(self.size)

    def _unfold(self, upper: Array) -> Array:
        cov = np.empty((self.size, self.size))
        i, j = self._upper
        cov[i, j] = upper
        cov[j, i] = upper
        return cov


def _divergence() -> BoundkitError:
    return BoundkitError("the moments do not converge: the run diverges at these step sizes.")


_MOST_NUMBERS = 4 * 10**7
"""Most numbers in the maps of one round's outcomes."""
_MOST_CACHED = 10**8
"""Most numbers in the cached maps of all rounds."""
_PROBE_COST = 20
"""Cost of one number of a probed step, in multiplications of a matrix product."""
_ROWS = 512


class ExactStateEngine:
    """Exact moments of one run. ``at_most``: most multiplications of a trajectory.

    Raises BoundkitError where the problem is not quadratic, a round is not affine or has no distribution of
    its own, there are too many outcomes, or the trajectory would take too long.
    """

    name = "exact"

    def __init__(self, run: Run, at_most: float = float("inf")) -> None:
        refuse_unobserved_start(run)
        self.run, self.maps = run, StateMaps(run)
        self._points = self.maps.models()
        self._rounds: dict[tuple[Any, ...], Outcomes] = {}
        self._numbers = 0.0
        self._forms = quadratic_forms(run)
        if self.work > at_most:
            raise TooManySubsets(f"exact moments would take {self.work:.2g} multiplications.")
        self._round(0, self.maps.counters)  # refuse now what cannot be done

    @property
    def work(self) -> float:
        """Estimated number of multiplications of a trajectory."""
        run, size = self.run, self.maps.size
        some = range(min(run.period, 64))
        outcomes = sum(run.participation.distribution(t).outcomes for t in some) / len(some)
        steps = float(np.mean([run.steps(t).max() for t in some]))
        columns = run.problem.m * run.problem.d
        noise = steps * columns if run.problem.noise else 0.0
        probing = outcomes * (size + noise) * (steps + 5) * columns * _PROBE_COST
        made = run.rounds if self.maps.counters else min(run.period, run.rounds)
        short = size <= SHORT
        writing = outcomes * size**4 if short else 0.0
        moving = size**4 / 4 if short else outcomes * 2 * size**3
        return float(made * (probing + writing) + run.rounds * moving)

    def _round(self, t: int, counters: State) -> Outcomes:
        key = (t % self.run.period, *(to_numpy(v).tobytes() for v in counters.values()))
        if key not in self._rounds:
            distribution = self.run.participation.distribution(t)
            if distribution.outcomes * self.maps.size**2 > _MOST_NUMBERS:
                raise TooManySubsets(
                    f"the maps of {distribution.outcomes:.3g} outcomes are too large to hold."
                )
            many = len(self._rounds) > 64 if counters else self._numbers > _MOST_CACHED
            if many:
                self._rounds.clear()
                self._numbers = 0.0
            self._rounds[key] = Outcomes.of(self.maps.outcomes(t, counters))
            self._numbers += distribution.outcomes * self.maps.size**2
        return self._rounds[key]

    def after(self, t: int, mean: Array, cov: Array, counters: State) -> tuple[Array, Array]:
        """Mean and covariance after round t."""
        return self._round(t, counters).after(mean, cov)

    def trajectory(self, progress: Progress | None = None) -> Trajectory:
        """Every observable's expectation at every round; ``progress(done, total)`` is called each round."""
        with reported(f"{self.run.algorithm.name}, {self.run.rounds:,} rounds", progress) as report:
            return self._propagated(report)

    def _propagated(self, report: Progress) -> Trajectory:
        mean, cov = self.maps.initial_moments()
        counters, start = self.maps.counters, None
        rows: list[tuple[Array, Array]] = []
        parts: list[dict[str, Array]] = []
        finite, most = True, max(1, min(_ROWS, _MOST_NUMBERS // self.maps.size**2))
        for t in range(self.run.rounds + 1):
            if start is None and not self._waiting(mean, counters):
                start = t
            if self.run.observes(t):
                rows.append((mean, cov))
            finite = bool(np.isfinite(mean).all() and np.isfinite(cov).all())
            if rows and (len(rows) == most or t == self.run.rounds or not finite):
                parts.append(self._record(rows))
                finite = finite and all(np.isfinite(v).all() for v in parts[-1].values())
                rows = []
            if not finite or t == self.run.rounds:
                break
            with np.errstate(over="ignore", invalid="ignore"):
                mean, cov = self.after(t, mean, cov, counters)
            report(t + 1, self.run.rounds)
            if counters:
                counters = self.maps.counters_after(t, counters)
        return self._trajectory(parts, start)

    def _trajectory(self, parts: list[dict[str, Array]], start: int | None) -> Trajectory:
        observed = {n: np.concatenate([p[n] for p in parts]) for n in parts[0]}
        points = {n: observed.pop(n) for n in list(observed) if observed[n].ndim == 2}
        x = points.pop("x")
        good = np.isfinite(x).all(axis=1) & np.all([np.isfinite(v) for v in observed.values()], axis=0)
        end = len(x) if good.all() else int(np.argmin(good))
        if end == 0:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        rounds, at = self.run.observed_rounds, end - 1
        whole = end == len(rounds)
        first = at if start is None else min(start, at)
        return Trajectory(
            algorithm=self.run.algorithm.name,
            engine=self.name,
            x=x[first:end],
            random=False,
            models={n.removesuffix("_x"): v[first:end] for n, v in points.items()},
            observed={n: v[None, first:end] for n, v in observed.items()},
            outcome="diverged" if not whole else "waiting" if start is None else "done",
            diverged_at=None if whole else rounds[end] - first,
            observed_at=None if self.run.every == 1 else tuple(rounds[:end]),
        )

    def stationary(self) -> dict[str, float]:
        """Every observable's expectation as t -> infinity, from linear systems.

        Raises BoundkitError where a round's distribution varies over time, or the moments do not converge.
        """
        mean, cov = self.stationary_moments()
        observed = self._record([(mean, cov)])
        return {name: float(value[0]) for name, value in observed.items() if value.ndim == 1}

    def stationary_moments(self) -> tuple[Array, Array]:
        """Mean and covariance of the whole state as t -> infinity."""
        if self.maps.counters:
            raise NoClosedForm(
                f"{self.run.algorithm.name} counts rounds, so that no distribution is that of all of them."
            )
        if self.run.period != 1:
            raise BoundkitError("a stationary state needs one distribution for all rounds.")
        mean, cov = self.maps.initial_moments()
        one = self._round(0, self.maps.counters)
        mean = limit_of(np.tensordot(one.probabilities, one.A, 1), one.probabilities @ one.b, mean).points
        return mean, one.limit_covariance(mean, cov)

    def _waiting(self, mean: Array, counters: State) -> bool:
        waiting = self.run.algorithm.waiting(self.maps.state(mean[None], counters))
        return waiting is not None and bool(waiting.all())

    def _record(self, rows: list[tuple[Array, Array]]) -> dict[str, Array]:
        """Every observable's expectation, and E x, for the given rounds."""
        observed: dict[str, Array] = {}
        mean, centre = np.stack([m for m, _ in rows]), self.run.problem.centre
        with np.errstate(over="ignore", invalid="ignore"):
            for prefix, (P, p) in self._points.items():
                u = mean @ P.T + p - centre
                cov = np.stack([P @ c @ P.T for _, c in rows])
                for name, form in self._forms.items():
                    if not prefix or name in OBSERVABLES:
                        observed[prefix + name] = expectation_from_covariance(form, u, cov)
                observed[f"{prefix}x"] = mean @ P.T + p
        return observed
