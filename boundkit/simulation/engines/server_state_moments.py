"""Recursion of the first two moments of the server's state over one round.

With s the centred state, u = sum_i w_i (G_i s + g_i + noise_i) and s+ = F s + K u + f, the first two
moments of s form a closed recursion, because participation is independent of s:
E u u' = sum_ij E[w_i w_j] (G_i S G_j' + G_i mu g_j' + g_i mu' G_j' + g_i g_j') + sum_i E[w_i^2] N_i.
Where updates are compressed at random, with covariance a diag(u_i^2) + b u_i u_i' given u_i, the sum over i
of E[w_i^2] (a diag(M_i) + b M_i) is added, with M_i = E u_i u_i' before the compression.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.affine_maps import apply_matrices
from boundkit.simulation.engines.affine_rounds import AffineRounds


@dataclass(frozen=True)
class Moments:
    """E s, (*batch, s), and E s s', (*batch, s, s); None where s is deterministic."""

    mean: Array
    second: Array | None


class RoundMeanMap:
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

    def __call__(self, moments: Moments) -> Moments:
        """The moments of a deterministic state after the round."""
        return Moments(self.mean(moments.mean), None)

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        return 5000 + sum(a.nbytes for a in (self.F, self.K, self.f, self.G, self.g))

    @cached_property
    def linear(self) -> tuple[Array, Array]:
        """The recursion as m -> A m + a for m = E s, with leading batch axes."""
        zero, units = np.zeros(self.F.shape[:-1]), np.eye(self.F.shape[-1])
        a = self.mean(zero)
        return np.stack([self.mean(zero + unit) - a for unit in units], axis=-1), a


class RoundMoments(RoundMeanMap):
    """Map of both moments over one round."""

    def __init__(self, affine: AffineRounds, t: int) -> None:
        w = affine.weighing.moments(t)
        super().__init__(affine, t, w.mean)
        maps = affine.clients(t)
        by_coordinate, all_of_it = affine.run.algorithm.transmission_variance(affine.d)
        if affine.diagonal:  # a coordinate's own second moment alone is followed
            by_coordinate, all_of_it = 0.0, by_coordinate + all_of_it
        own = w.diagonal + all_of_it * w.square
        self.noise = (1 + all_of_it) * np.tensordot(w.square, maps.N, 1)
        alone = np.flatnonzero(own)
        vectors = [v for _, v in w.factors]
        self.scale = np.array([*own[alone], *(s for s, _ in w.factors)])
        self.B = np.concatenate([maps.G[alone], *(np.tensordot(v, maps.G, 1)[None] for v in vectors)])
        self.b = np.concatenate([maps.g[alone], *(np.tensordot(v, maps.g, 1)[None] for v in vectors)])
        self.single: Array | None = None
        if by_coordinate:
            rows = np.concatenate([maps.G, maps.g[..., None]], axis=-1)
            self.single = rows * np.sqrt(by_coordinate * w.square)[:, None, None]
            self.noise = self.noise + by_coordinate * np.tensordot(w.square, maps.N * np.eye(affine.d), 1)

    def __call__(self, moments: Moments) -> Moments:
        """Both moments after the round."""
        if self.empty_probability == 1:
            return moments
        mu, S = moments.mean, moments.second
        assert S is not None
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
        """E u u': sum_k scale_k (B_k S B_k' + B_k mu b_k' + b_k mu' B_k' + b_k b_k') and the noise.

        With L L' the joint second moment of s and 1, this is a sum of squares of (B_k, b_k) L, of which
        half of the entries are computed.
        """
        if self.B.ndim > 3:  # coordinates do not mix
            square, cross, constant = self._sums
            received = (square * S).sum(axis=(-2, -1)) + 2 * (cross * mu).sum(axis=-1) + constant
            return np.asarray(received[..., None, None] + self.noise)
        # the second moment of (s, 1)
        joint = np.block([[S, mu[:, None]], [mu[None], np.ones((1, 1))]])
        rows, o, noise = self._factors, self.B.shape[1], self.noise
        if self.single is not None:
            noise = noise + np.diag(((self.single @ joint) * self.single).sum(axis=(0, -1)))
        if self._positive:
            try:
                turned = (np.linalg.cholesky(joint).T @ rows).reshape(-1, o)
                return np.asarray(turned.T @ turned + noise)  # numpy computes one triangle of this
            except np.linalg.LinAlgError:  # a direction without variance
                pass
        signed = (joint @ rows).reshape(len(joint), -1, o) * np.sign(self.scale)[:, None]
        return np.asarray(signed.reshape(-1, o).T @ rows.reshape(-1, o) + noise)

    @property
    def nbytes(self) -> int:
        """Approximate memory in bytes."""
        single = 0 if self.single is None else self.single.nbytes
        return super().nbytes + single + sum(a.nbytes for a in (self.noise, self.scale, self.B, self.b))

    @cached_property
    def _sums(self) -> tuple[Array, Array, Array]:
        """Where coordinates do not mix: sums over k of scale_k B_k'B_k, scale_k B_k b_k and scale_k b_k^2."""
        B, b = self.B[..., 0, :], self.b[..., 0]
        weighted = np.moveaxis(B * self.scale[:, None, None], 0, -1)
        square = weighted @ np.moveaxis(B, 0, -2)
        return square, apply_matrices(weighted, np.moveaxis(b, 0, -1)), self.scale @ b**2

    @cached_property
    def _factors(self) -> Array:
        """The sqrt|scale_k| (B_k, b_k)', (s + 1, k o), side by side, so that products are few and large."""
        joint = np.concatenate([self.B, self.b[..., None]], axis=-1)
        joint *= np.sqrt(np.abs(self.scale))[:, None, None]
        return joint.transpose(2, 0, 1).reshape(joint.shape[2], -1)

    @cached_property
    def _positive(self) -> bool:
        return bool((self.scale >= 0).all())

    @cached_property
    def linear(self) -> tuple[Array, Array]:
        """The recursion as v -> A v + a for v = (E s, vec E s s'), with leading batch axes."""
        batch, s = self.F.shape[:-2], self.F.shape[-1]
        size = s + s * s
        v = np.zeros((size + 1, *batch, size))
        for j in range(size):
            v[1 + j, ..., j] = 1.0
        S = v[..., s:].reshape(*v.shape[:-1], s, s)
        S = (S + transposed(S)) / 2
        if batch:
            after = flat(self(Moments(v[..., :s], S)))
        else:
            after = np.stack([flat(self(Moments(*each))) for each in zip(v[:, :s], S, strict=True)])
        return np.moveaxis(after[1:] - after[0], 0, -1), after[0]


def flat(moments: Moments) -> Array:
    """(E s, vec E s s'), or E s alone where s is deterministic."""
    if moments.second is None:
        return moments.mean
    return np.concatenate([moments.mean, moments.second.reshape(*moments.mean.shape[:-1], -1)], axis=-1)


def _shifted(mean: Array, f: Array) -> Array:
    """The change of a vector's second moment under a shift by f, given its mean."""
    shift = f[..., :, None] * mean[..., None, :]
    return shift + transposed(shift) + f[..., :, None] * f[..., None, :]


def transposed(A: Array) -> Array:
    """A' for each matrix of a batch."""
    return np.swapaxes(A, -1, -2)
