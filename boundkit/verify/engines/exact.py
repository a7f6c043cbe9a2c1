"""The exact engine: E x and E x x' of the server's iterate, round by round, without sampling error.

With s the centred state, u = sum_i w_i (G_i s + g_i + noise_i) and s+ = F s + K u + f, the first two
moments of s close, because who comes is independent of s:
E u u' = sum_ij E[w_i w_j] (G_i S G_j' + G_i mu g_j' + g_i mu' G_j' + g_i g_j') + sum_i E[w_i^2] N_i.
Float64 throughout; centred at the optimum, so that floors far below ||x_0||^2 do not cancel away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.engines.affine import AffineRun
from boundkit.verify.participation import FixedSubset
from boundkit.verify.problems.base import QuadraticForm
from boundkit.verify.run import Run
from boundkit.verify.trajectory import Trajectory

Array = NDArray[np.float64]
_SMALL = 8
"""States up to this length have their moment recursion written out as one matrix."""


@dataclass(frozen=True)
class Moments:
    """E s, (*batch, s), and E s s', (*batch, s, s)."""

    mean: Array
    second: Array


class RoundMean:
    """How one round moves E s, given E w_i."""

    def __init__(self, affine: AffineRun, t: int, first: Array) -> None:
        self.F, self.K, self.f = affine.server
        maps = affine.clients(affine.run.steps(t))
        law = affine.run.participation.law(t)
        self.idle = isinstance(law, FixedSubset) and not law.members
        self.G, self.g = np.tensordot(first, maps.G, 1), np.tensordot(first, maps.g, 1)

    def mean(self, mean: Array) -> Array:
        """E s after the round."""
        if self.idle:
            return mean
        return _mv(self.F, mean) + _mv(self.K, _mv(self.G, mean) + self.g) + self.f


class RoundMoments(RoundMean):
    """How one round moves both moments."""

    def __init__(self, affine: AffineRun, t: int) -> None:
        w = affine.weighing.moments(affine.run.participation.law(t))
        super().__init__(affine, t, w.first)
        maps = affine.clients(affine.run.steps(t))
        self.noise = np.tensordot(w.square, maps.N, 1)
        alone = np.flatnonzero(w.diagonal)
        vectors = [v for _, v in w.factors]
        self.scale = np.array([*w.diagonal[alone], *(s for s, _ in w.factors)])
        self.B = np.concatenate([maps.G[alone], *(np.tensordot(v, maps.G, 1)[None] for v in vectors)])
        self.b = np.concatenate([maps.g[alone], *(np.tensordot(v, maps.g, 1)[None] for v in vectors)])

    def __call__(self, moments: Moments) -> Moments:
        """Both moments after the round."""
        if self.idle:
            return moments
        mu, S = moments.mean, moments.second
        cross = S @ _t(self.G) + mu[..., :, None] * self.g[..., None, :]
        FcK = self.F @ cross @ _t(self.K)
        after = self.F @ S @ _t(self.F) + FcK + _t(FcK) + self.K @ self._received(mu, S) @ _t(self.K)
        moved = self.mean(mu)
        if self.f.any():
            shift = self.f[..., :, None] * (moved - self.f)[..., None, :]
            after = after + shift + _t(shift) + self.f[..., :, None] * self.f[..., None, :]
        # an antisymmetric rounding error is not damped by the recursion; it must not stay
        return Moments(moved, (after + _t(after)) / 2)

    def _received(self, mu: Array, S: Array) -> Array:
        """E u u'."""
        sent = _mv(self.B, mu)
        pairs = sent[..., :, None] * self.b[..., None, :]
        pairs = pairs + _t(pairs) + self.b[..., :, None] * self.b[..., None, :]
        if S.ndim > 2:
            return np.tensordot(self.scale, self.B @ S @ _t(self.B) + pairs, 1) + self.noise
        k, o, s = self.B.shape  # dense: two large products instead of 2k small ones
        BS = (self.B.reshape(k * o, s) @ S).reshape(k, o, s) * self.scale[:, None, None]
        flat: Array = BS.transpose(1, 0, 2).reshape(o, k * s) @ self._flat
        return flat + np.tensordot(self.scale, pairs, 1) + self.noise

    @cached_property
    def _flat(self) -> Array:
        k, o, s = self.B.shape
        return self.B.transpose(0, 2, 1).reshape(k * s, o)

    @cached_property
    def linear(self) -> tuple[Array, Array]:
        """The recursion as v -> A v + a of v = (E s, vec E s s'), with the batch in front."""
        batch, s = self.F.shape[:-2], self.F.shape[-1]
        size = s + s * s

        def flat(moments: Moments) -> Array:
            return np.concatenate([moments.mean, moments.second.reshape(*batch, s * s)], axis=-1)

        def column(j: int) -> Array:
            v = np.zeros((*batch, size))
            if j >= 0:
                v[..., j] = 1.0
            S = v[..., s:].reshape(*batch, s, s)
            return flat(self(Moments(v[..., :s], (S + _t(S)) / 2)))

        a = column(-1)
        return np.stack([column(j) - a for j in range(size)], axis=-1), a


class Exact:
    """The exact engine for one run.

    Raises BoundkitError where the problem is not quadratic, or an expectation over participation needs
    too many subsets.
    """

    name = "exact"

    def __init__(self, run: Run) -> None:
        self.run, self.affine = run, AffineRun(run)
        self.rounds = [RoundMoments(self.affine, t) for t in range(min(run.period, run.rounds))]

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
            v = _mv(A, v) + a
            history[t + 1] = v
        mean = history[..., :s]
        second = history[..., s:].reshape(*history.shape[:-1], s, s)
        return self._record(mean, second)

    def _large(self) -> tuple[Array, dict[str, Array]]:
        moments, rows = self.start, []
        for t in range(self.run.rounds + 1):
            rows.append(self._record(moments.mean, moments.second))
            if t < self.run.rounds:
                moments = self.rounds[t % self.run.period](moments)
        return np.stack([x for x, _ in rows]), {n: np.array([o[n] for _, o in rows]) for n in rows[0][1]}

    def _record(self, mean: Array, second: Array) -> tuple[Array, dict[str, Array]]:
        u, S = self.affine.model(mean), self.affine.model_second(second)
        forms = self.affine.problem.forms
        return u + self.affine.problem.centre, {name: _expectation(f, u, S) for name, f in forms.items()}

    def stationary(self) -> dict[str, float]:
        """Every observable's expectation in the limit of many rounds.

        Raises BoundkitError where the law of a round changes with the round, or the moments do not settle.
        """
        if self.run.period != 1:
            raise BoundkitError("a stationary state needs one law for all rounds; this schedule changes it.")
        s, step = self.affine.size, self.rounds[0]
        A, a = step.linear
        if np.abs(np.linalg.eigvals(A)).max() >= 1:
            raise BoundkitError("the moments do not settle: the run diverges at these steps.")
        v = np.asarray(np.linalg.solve(np.eye(A.shape[-1]) - A, a[..., None])[..., 0], dtype=np.float64)
        _, observed = self._record(v[..., :s], v[..., s:].reshape(*v.shape[:-1], s, s))
        return {name: float(value) for name, value in observed.items()}


def _expectation(form: QuadraticForm, u: Array, S: Array) -> Array:
    """E of the form from E u, (..., d), and E u u', (..., d) where diagonal or (..., d, d)."""
    if form.Q.ndim == 1:
        square = S if S.ndim == u.ndim else np.diagonal(S, axis1=-2, axis2=-1)
        bent = (square * form.Q).sum(-1)
    else:
        bent = np.einsum("...ij,ij->...", S, form.Q)
    return np.asarray(bent + 2 * (u @ form.q) + form.c)


def _t(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


def _mv(A: Array, v: Array) -> Array:
    return np.asarray((A @ v[..., None])[..., 0])
