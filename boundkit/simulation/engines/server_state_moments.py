"""Recursion of the first two moments of the server's state over one round.

With s the centred state, u = sum_i w_i (G_i s + g_i + noise_i) and s+ = F s + K u + f, the first two
moments of s form a closed recursion, because participation is independent of s:
E u u' = sum_ij E[w_i w_j] (G_i S G_j' + G_i mu g_j' + g_i mu' G_j' + g_i g_j') + sum_i E[w_i^2] N_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.affine_rounds import AffineRounds, apply_matrices


@dataclass(frozen=True)
class Moments:
    """E s, (*batch, s), and E s s', (*batch, s, s)."""

    mean: Array
    second: Array


class RoundMean:
    """Map of E s over one round, given E w_i."""

    def __init__(
        self, affine: AffineRounds, t: int, first: Array, empty_probability: float | None = None
    ) -> None:
        self.F, self.K, self.f = affine.server
        maps = affine.clients(t)
        if empty_probability is None:
            empty_probability = affine.run.participation.distribution(t).empty_probability
        self.empty_probability = empty_probability
        self.G, self.g = np.tensordot(first, maps.G, 1), np.tensordot(first, maps.g, 1)

    def mean(self, mean: Array) -> Array:
        """E s after the round."""
        if self.empty_probability == 1:
            return mean
        stepped = (
            apply_matrices(self.F, mean)
            + apply_matrices(self.K, apply_matrices(self.G, mean) + self.g)
            + self.f
        )
        if not self.empty_probability:
            return stepped
        return stepped + self.empty_probability * (mean - apply_matrices(self.F, mean) - self.f)


class RoundMoments(RoundMean):
    """Map of both moments over one round."""

    def __init__(self, affine: AffineRounds, t: int) -> None:
        w = affine.weighing.moments(t)
        super().__init__(affine, t, w.mean)
        maps = affine.clients(t)
        self.noise = np.tensordot(w.square, maps.N, 1)
        alone = np.flatnonzero(w.diagonal)
        vectors = [v for _, v in w.factors]
        self.scale = np.array([*w.diagonal[alone], *(s for s, _ in w.factors)])
        self.B = np.concatenate([maps.G[alone], *(np.tensordot(v, maps.G, 1)[None] for v in vectors)])
        self.b = np.concatenate([maps.g[alone], *(np.tensordot(v, maps.g, 1)[None] for v in vectors)])

    def __call__(self, moments: Moments) -> Moments:
        """Both moments after the round."""
        if self.empty_probability == 1:
            return moments
        mu, S = moments.mean, moments.second
        cross = S @ transposed(self.G) + mu[..., :, None] * self.g[..., None, :]
        FcK = self.F @ cross @ transposed(self.K)
        after = (
            self.F @ S @ transposed(self.F)
            + FcK
            + transposed(FcK)
            + self.K @ self._received(mu, S) @ transposed(self.K)
        )
        stepped = apply_matrices(self.F, mu) + apply_matrices(self.K, apply_matrices(self.G, mu) + self.g)
        after = after + _shifted(stepped, self.f)
        next_mean = self.mean(mu)
        if self.empty_probability:
            unchanged = apply_matrices(self.F, mu)
            unmoved = self.F @ S @ transposed(self.F) + _shifted(unchanged, self.f)
            after = after + self.empty_probability * (S - unmoved)
        # the recursion does not damp an antisymmetric rounding error; remove it
        return Moments(next_mean, (after + transposed(after)) / 2)

    def _received(self, mu: Array, S: Array) -> Array:
        """E u u'."""
        update = apply_matrices(self.B, mu)
        pairs = update[..., :, None] * self.b[..., None, :]
        pairs = pairs + transposed(pairs) + self.b[..., :, None] * self.b[..., None, :]
        if S.ndim > 2:
            return np.tensordot(self.scale, self.B @ S @ transposed(self.B) + pairs, 1) + self.noise
        k, o, s = self.B.shape  # dense: two large products instead of 2k small ones
        BS = (self.B.reshape(k * o, s) @ S).reshape(k, o, s) * self.scale[:, None, None]
        flat: Array = BS.transpose(1, 0, 2).reshape(o, k * s) @ self._flat
        return flat + np.tensordot(self.scale, pairs, 1) + self.noise

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        arrays = (self.F, self.K, self.f, self.G, self.g, self.noise, self.scale, self.B, self.b)
        return 5000 + sum(a.nbytes for a in arrays)

    @cached_property
    def _flat(self) -> Array:
        k, o, s = self.B.shape
        return self.B.transpose(0, 2, 1).reshape(k * s, o)

    @cached_property
    def linear(self) -> tuple[Array, Array]:
        """The recursion as v -> A v + a for v = (E s, vec E s s'), with leading batch axes."""
        batch, s = self.F.shape[:-2], self.F.shape[-1]
        size = s + s * s

        def flat(moments: Moments) -> Array:
            return np.concatenate([moments.mean, moments.second.reshape(*batch, s * s)], axis=-1)

        def column(j: int) -> Array:
            v = np.zeros((*batch, size))
            if j >= 0:
                v[..., j] = 1.0
            S = v[..., s:].reshape(*batch, s, s)
            return flat(self(Moments(v[..., :s], (S + transposed(S)) / 2)))

        a = column(-1)
        return np.stack([column(j) - a for j in range(size)], axis=-1), a


def _shifted(mean: Array, f: Array) -> Array:
    """The change of a vector's second moment under a shift by f, given its mean."""
    shift = f[..., :, None] * mean[..., None, :]
    return shift + transposed(shift) + f[..., :, None] * f[..., None, :]


def transposed(A: Array) -> Array:
    """A' for each matrix of a batch."""
    return np.swapaxes(A, -1, -2)
