"""The exact engine: E x and E x x' of the server's iterate in each round, without sampling error.

The recursion is in server_state_moments.py; a deterministic run has that of E x alone. Float64 throughout;
centred at the optimum, so that error floors far below ||x_0||^2 do not cancel.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.progress import Progress, reported
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.affine_maps import apply_matrices
from boundkit.simulation.engines.affine_rounds import AffineRounds
from boundkit.simulation.engines.exact_observables import (
    expectation_from_second_moment,
    has_exact_local_moments,
    quadratic_forms,
    shorter_runs,
    virtual_observables,
)
from boundkit.simulation.engines.memory import refuse_exact
from boundkit.simulation.engines.server_state_moments import (
    Moments,
    RoundMeanMap,
    RoundMoments,
    flat,
    transposed,
)
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory

_SMALL = 8
"""Longest state whose moment recursion is written as one matrix."""
_SOLVABLE = 40
"""Longest state for which a linear system with that matrix is solved, for stationary moments."""
_MANY, _ROUNDS, _WORTH = 10_000, 1024, 32
"""Rounds from which blocks of rounds are taken by powers of that matrix, the most rounds of a block, and the
fewest for which powers pay off."""
_BLOCK = 2**20
"""Most numbers in the moments, or in the powers, of a block of rounds."""
_CACHED = 2**28
"""Most bytes of the maps of the rounds of a period."""
_TINY = 1e-150
"""Numbers below this, whose squares are denormal, are 0."""
_ROWS = 32
"""Rounds of a block where each round is computed separately."""
Block = tuple[int, Array, dict[str, Array]]
"""The first round of a block, the iterates of its rounds and their observables."""


class ExactEngine:
    """The exact engine for one run.

    Raises BoundkitError where the problem is not quadratic, an expectation over participation needs too many
    subsets, or the memory needed exceeds the limit.
    """

    name = "exact"

    def __init__(self, run: Run) -> None:
        self.run, self.affine, self._forms = run, AffineRounds(run), quadratic_forms(run)
        self._observes_steps = run.observes_local_steps and has_exact_local_moments(run)
        self._deterministic = not run.random
        refuse_exact(run, len(self._forms), self._observes_steps)
        self.rounds = self._maps(self.affine)
        self._inside: list[_Rounds] | None = None

    def _maps(self, affine: AffineRounds) -> _Rounds:
        return _Rounds(affine, self._deterministic)

    @property
    def start(self) -> Moments:
        """The moments of the centred start."""
        s = self.affine.state(self.run.x0) - self.affine.centre
        return Moments(s, None if self._deterministic else s[..., :, None] * s[..., None, :])

    def trajectory(self, progress: Progress | None = None) -> Trajectory:
        """Every observable's expectation at every round; ``progress(done, total)`` is called regularly."""
        T, rounds = self.run.rounds, self.run.observed_rounds
        x, observed, end = np.empty((len(rounds), self.run.problem.d)), dict[str, Array](), 0
        blocks = self._small() if self.affine.size <= _SMALL else self._large()
        what = f"{self.run.algorithm.name}, {T:,} rounds"
        with np.errstate(over="ignore", invalid="ignore"), reported(what, progress) as report:
            self._shorter_rounds(report)
            for at, points, values in blocks:
                t = np.arange(at, at + len(points))
                recorded = (t % self.run.every == 0) | (t == T)
                rows = slice(end, end + np.count_nonzero(recorded))
                bad = ~np.isfinite(points[recorded]).all(axis=1)
                x[rows] = points[recorded]
                for name, series in values.items():
                    observed.setdefault(name, np.empty(len(rounds)))[rows] = series[recorded]
                    bad |= ~np.isfinite(series[recorded])
                end += int(np.argmax(bad)) if bad.any() else len(bad)
                if end < rows.stop:
                    break
                report(min(at + len(points), T), T)
        if end == 0:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        whole = end == len(rounds)
        return Trajectory(
            algorithm=self.run.algorithm.name,
            engine=self.name,
            x=x[:end],
            random=False,
            observed={name: series[None, :end] for name, series in observed.items()},
            outcome="done" if whole else "diverged",
            diverged_at=None if whole else rounds[end],
            observed_at=None if self.run.every == 1 else tuple(rounds[:end]),
        )

    def _shorter_rounds(self, progress: Progress | None = None) -> list[_Rounds] | None:
        """The run with 1, ..., tau - 1 local steps, if its local models are observed; else None."""
        if self._observes_steps and self._inside is None:
            self._inside = []
            runs = shorter_runs(self.run)
            for done, each in enumerate(runs, 1):
                self._inside.append(self._maps(AffineRounds(each, local_means=True)))
                if progress is not None:
                    progress(done, len(runs))
        return self._inside

    def _small(self) -> Iterator[Block]:
        """Blocks of rounds by the recursion as one matrix."""
        for at, history in self._histories():
            x, values = self._unrolled(history)
            yield at, x, values | self._virtual(values, at, history[: self.run.rounds - at])

    def _virtual(self, values: dict[str, Array], at: int, history: Array) -> dict[str, Array]:
        """Observables inside the rounds from ``at`` on, given the moments at their starts."""
        inside = self._shorter_rounds()
        if inside is None:
            return {}
        return virtual_observables(
            values, [self._unrolled(rounds.after(at, history))[1] for rounds in inside]
        )

    def _histories(self) -> Iterator[tuple[int, Array]]:
        """The first round of a block, and the flat moments before each of its rounds, or at the end."""
        T, v = self.run.rounds, flat(self.start)
        powers = self.rounds.powers(T, v)
        at = 0
        while at <= T:
            if powers is not None:
                P, p = (part[: T + 1 - at] for part in powers)
                history = (P @ v[..., None])[..., 0] + p
            else:
                rows = min(max(1, _BLOCK // v.size), T + 1 - at)
                history = np.moveaxis(np.empty((*v.shape[:-1], rows, v.shape[-1])), -2, 0)
                history[0] = v
                self.rounds.continue_history(at, history)
            yield at, history
            at += len(history)
            A, a = self.rounds[at - 1].linear
            v = apply_matrices(A, history[-1]) + a

    def _unrolled(self, history: Array) -> tuple[Array, dict[str, Array]]:
        s = self.affine.size
        second = None if self._deterministic else history[..., s:].reshape(*history.shape[:-1], s, s)
        return self._record(Moments(history[..., :s], second))

    def _large(self) -> Iterator[Block]:
        """Blocks of rounds, one round after another."""
        moments, rows, inside = self.start, [], self._shorter_rounds()
        later: list[list[dict[str, Array]]] = [[] for _ in inside or []]
        for t in range(self.run.rounds + 1):
            rows.append(self._record(moments))
            if t < self.run.rounds:
                for values, rounds in zip(later, inside or [], strict=True):
                    values.append(self._record(rounds[t](moments))[1])
                moments = self.rounds[t](moments)
            if len(rows) == _ROWS or t == self.run.rounds:
                observed = _stacked([o for _, o in rows])
                if inside is not None:
                    observed |= virtual_observables(observed, [_stacked(values) for values in later])
                yield t + 1 - len(rows), np.stack([x for x, _ in rows]), observed
                rows, later = [], [[] for _ in later]

    def _record(self, moments: Moments) -> tuple[Array, dict[str, Array]]:
        mean, second = moments.mean, moments.second
        if second is None:
            mean = np.where(np.abs(mean) < _TINY, 0.0, mean)
            second = mean[..., :, None] * mean[..., None, :]
        u, S = self.affine.model(mean), self.affine.model_second(second)
        forms = self._forms
        return u + self.affine.problem.centre, {
            name: expectation_from_second_moment(f, u, S) for name, f in forms.items()
        }

    def stationary(self) -> dict[str, float]:
        """Every observable's expectation as t -> infinity.

        Raises BoundkitError where a round's distribution varies over time, or the moments do not converge.
        """
        if self.run.period != 1:
            raise BoundkitError(
                "a stationary state needs one distribution for all rounds; this schedule changes it."
            )
        s, step = self.affine.size, self.rounds[0]
        if s > _SOLVABLE:
            raise BoundkitError(
                f"a stationary state is solved for up to {_SOLVABLE} mixing coordinates, not {s}."
            )
        A, a = step.linear
        if np.abs(np.linalg.eigvals(A)).max() >= 1:
            raise BoundkitError("the moments do not converge: the run diverges at these step sizes.")
        v = np.asarray(np.linalg.solve(np.eye(A.shape[-1]) - A, a[..., None])[..., 0], dtype=np.float64)
        observed = self._unrolled(v[None])[1]
        observed |= self._virtual(observed, 0, v[None])
        return {name: float(value[0]) for name, value in observed.items()}


class _Rounds:
    """Moment maps of a run's rounds, cached for a whole period where they are not too large."""

    def __init__(self, affine: AffineRounds, deterministic: bool) -> None:
        self.affine, self.period, self.deterministic = affine, affine.run.period, deterministic
        first, length = self._map(0), min(self.period, affine.run.rounds)
        self._cached = [first]
        if length * first.nbytes <= _CACHED:
            self._cached += [self._map(t) for t in range(1, length)]

    def __getitem__(self, t: int) -> RoundMeanMap:
        t %= self.period
        return self._cached[t] if t < len(self._cached) else self._map(t)

    def _map(self, t: int) -> RoundMeanMap:
        if self.deterministic:
            return RoundMeanMap(self.affine, t, self.affine.weighing.moments(t).mean)
        return RoundMoments(self.affine, t)

    def after(self, at: int, history: Array) -> Array:
        """The flat moments after each of the rounds from ``at`` on, given the moments before it."""
        after = np.empty_like(history)
        for k in range(min(self.period, len(history))):
            A, a = self[at + k].linear
            after[k :: self.period] = apply_matrices(A, history[k :: self.period]) + a
        return after

    def continue_history(self, at: int, history: Array) -> None:
        """Compute all rows of the history of the rounds from ``at`` on, given its first.

        Where all rounds are equal, all computed rows are mapped at once by a power of the map.
        """
        if self.period > 1:
            for k in range(1, len(history)):
                A, a = self[at + k - 1].linear
                history[k] = apply_matrices(A, history[k - 1]) + a
            return
        (P, p), known, step = self[at].linear, 1, 1
        rows = np.moveaxis(history, 0, -2)
        while known < len(history):
            more = min(step, len(history) - known)
            before = rows[..., known - step : known - step + more, :]
            rows[..., known : known + more, :] = before @ transposed(P).copy() + p[..., None, :]
            known += more
            if known == 2 * step:
                squared, shift = P @ P, apply_matrices(P, p) + p
                if np.isfinite(squared).all() and np.isfinite(shift).all():
                    P, p, step = squared, shift, known

    def powers(self, rounds: int, v: Array) -> tuple[Array, Array] | None:
        """P_k and p_k, k < B: k rounds from the start of a period map v to P_k v + p_k; B is whole periods.

        None where there are few rounds, one map for all, long periods, or maps that overflow.
        """
        n = v.shape[-1]
        block = min(_ROUNDS, _BLOCK // (v.size * n)) // self.period * self.period
        if rounds < _MANY or self.period == 1 or block < _WORTH:
            return None
        P, p = np.empty((block, *v.shape, n)), np.zeros((block, *v.shape))
        P[0] = np.eye(n)
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(1, block):
                A, a = self[k - 1].linear
                P[k], p[k] = A @ P[k - 1], apply_matrices(A, p[k - 1]) + a
        return (P, p) if np.isfinite(P).all() and np.isfinite(p).all() else None


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]} if rows else {}
