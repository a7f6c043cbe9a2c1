"""The exact engine: E x and E x x' of the server's iterate, round by round, without sampling error.

The recursion is in moments.py. Float64 throughout; centred at the optimum, so that floors far below
||x_0||^2 do not cancel away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines.affine_rounds import AffineRun, applied
from boundkit.simulation.engines.local_iterate_moments import sees_inside, shorter, virtual
from boundkit.simulation.engines.moments import Moments, RoundMoments
from boundkit.simulation.engines.quadratic_observables import forms_of
from boundkit.simulation.problems.base import QuadraticForm
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory

Array = NDArray[np.float64]
_SMALL = 8
"""States up to this length have their moment recursion written out as one matrix."""
_SOLVABLE = 40
"""And up to this length that matrix is solved with, for stationary moments."""


class Exact:
    """The exact engine for one run.

    Raises BoundkitError where the problem is not quadratic, or an expectation over participation needs
    too many subsets.
    """

    name = "exact"

    def __init__(self, run: Run) -> None:
        self.run, self.affine, self._forms = run, AffineRun(run), forms_of(run)
        self.rounds = self._maps(self.affine)
        watched = run.looks_inside and sees_inside(run)
        self.inside = [self._maps(AffineRun(each)) for each in shorter(run)] if watched else None

    def _maps(self, affine: AffineRun) -> list[RoundMoments]:
        return [RoundMoments(affine, t) for t in range(min(self.run.period, self.run.rounds))]

    @property
    def start(self) -> Moments:
        """The moments of the centred start."""
        s = self.affine.state(self.run.x0) - self.affine.centre
        return Moments(s, s[..., :, None] * s[..., None, :])

    def trajectory(self) -> Trajectory:
        """Every observable's expectation at every round."""
        with np.errstate(over="ignore", invalid="ignore"):
            x, observed = self._small() if self.affine.size <= _SMALL else self._large()
        bad = ~np.isfinite(x).all(axis=1)
        for series in observed.values():
            bad |= ~np.isfinite(series)
        whole = not bad.any()
        end = len(x) if whole else int(np.argmax(bad))
        if end == 0:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        return Trajectory(
            algorithm=self.run.algorithm.name,
            engine=self.name,
            x=x[:end],
            random=False,
            observed={name: series[None, :end] for name, series in observed.items()},
            outcome="done" if whole else "diverged",
            diverged_at=None if whole else end,
        )

    def _small(self) -> tuple[Array, dict[str, Array]]:
        s, moments = self.affine.size, self.start
        v = np.concatenate([moments.mean, moments.second.reshape(*moments.mean.shape[:-1], s * s)], axis=-1)
        history = np.empty((self.run.rounds + 1, *v.shape))
        history[0] = v
        for t in range(self.run.rounds):
            A, a = self.rounds[t % self.run.period].linear
            v = applied(A, v) + a
            history[t + 1] = v
        x, observed = self._unrolled(history)
        if self.inside is not None:
            observed |= virtual(observed, [self._unrolled(self._one_on(history, k))[1] for k in self.inside])
        return x, observed

    def _unrolled(self, history: Array) -> tuple[Array, dict[str, Array]]:
        s = self.affine.size
        return self._record(history[..., :s], history[..., s:].reshape(*history.shape[:-1], s, s))

    def _one_on(self, history: Array, maps: list[RoundMoments]) -> Array:
        """Where these maps take the state before each round."""
        after = np.empty_like(history[:-1])
        for phase, each in enumerate(maps):
            A, a = each.linear
            after[phase :: self.run.period] = applied(A, history[:-1][phase :: self.run.period]) + a
        return after

    def _large(self) -> tuple[Array, dict[str, Array]]:
        moments, rows = self.start, []
        steps: list[list[dict[str, Array]]] = [[] for _ in self.inside or []]
        for t in range(self.run.rounds + 1):
            rows.append(self._record(moments.mean, moments.second))
            if t < self.run.rounds:
                for seen, maps in zip(steps, self.inside or [], strict=True):
                    later = maps[t % self.run.period](moments)
                    seen.append(self._record(later.mean, later.second)[1])
                moments = self.rounds[t % self.run.period](moments)
        observed = _stacked([o for _, o in rows])
        if self.inside is not None:
            observed |= virtual(observed, [_stacked(seen) for seen in steps])
        return np.stack([x for x, _ in rows]), observed

    def _record(self, mean: Array, second: Array) -> tuple[Array, dict[str, Array]]:
        u, S = self.affine.model(mean), self.affine.model_second(second)
        forms = self._forms
        return u + self.affine.problem.centre, {name: _expectation(f, u, S) for name, f in forms.items()}

    def stationary(self) -> dict[str, float]:
        """Every observable's expectation in the limit of many rounds.

        Raises BoundkitError where the law of a round changes with the round, or the moments do not settle.
        """
        if self.run.period != 1:
            raise BoundkitError("a stationary state needs one law for all rounds; this schedule changes it.")
        s, step = self.affine.size, self.rounds[0]
        if s > _SOLVABLE:
            raise BoundkitError(
                f"a stationary state is solved for up to {_SOLVABLE} mixing coordinates, not {s}."
            )
        A, a = step.linear
        if np.abs(np.linalg.eigvals(A)).max() >= 1:
            raise BoundkitError("the moments do not settle: the run diverges at these steps.")
        v = np.asarray(np.linalg.solve(np.eye(A.shape[-1]) - A, a[..., None])[..., 0], dtype=np.float64)
        observed = self._unrolled(v[None])[1]
        if self.inside is not None:
            twice = np.stack([v, v])
            later = [self._unrolled(self._one_on(twice, maps))[1] for maps in self.inside]
            observed |= virtual({n: np.repeat(o, 2) for n, o in observed.items()}, later)
        return {name: float(value[0]) for name, value in observed.items()}


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _expectation(form: QuadraticForm, u: Array, S: Array) -> Array:
    """E of the form from E u, (..., d), and E u u', (..., d) where diagonal or (..., d, d)."""
    if form.Q.ndim == 1:
        square = S if S.ndim == u.ndim else np.diagonal(S, axis1=-2, axis2=-1)
        bent = (square * form.Q).sum(-1)
    else:
        bent = np.einsum("...ij,ij->...", S, form.Q)
    return np.asarray(bent + 2 * (u @ form.q) + form.c)
