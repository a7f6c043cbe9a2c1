"""All outcomes of a round as one stack of affine maps, and their action on two moments.

Outcome S has probability p_S and maps s to A_S s + b_S + B_S z. Covariances are mapped by
T(c) = sum_S p_S A_S c A_S', written as one matrix on symmetric c where the state is short.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.state_maps import AffineMap

SHORT = 40
"""Longest state for which T is written as a matrix."""
_CONSERVED = 1e-14
_DRIFT = 1e-9
_DOUBLINGS = 60


@dataclass(frozen=True)
class Outcomes:
    """``probabilities`` (K,), ``A`` (K, N, N), ``b`` (K, N), and ``noise`` = sum_S p_S B_S B_S', (N, N)."""

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
