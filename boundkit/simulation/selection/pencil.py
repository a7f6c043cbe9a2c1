r"""The skew of one selection on quadratics, and its minimum over all models, as an eigenvalue.

For losses F_k(x) = 1/2 (x - e_k)' H_k (x - e_k), whose minima are 0, and shares q_k = P(k in S)/|S|,

    rho(S, x') = sum q_k F_k(x') / sum p_k F_k(x').

Both are quadratic forms in (x', 1). In coordinates centred at x*, in which the denominator has no linear
part, sum p_k F_k(x*+u) = 1/2 u' H u + Gamma with H = sum p_k H_k. Scaled so that this form is the identity,

    A_k = [[H^-1/2 H_k H^-1/2,  H^-1/2 g_k / sqrt(2 Gamma)], [.., F_k(x*)/Gamma]],   g_k = H_k (x* - e_k),

sum p_k A_k = I, and the minimal skew over x', infinity included, is the smallest eigenvalue of sum q_k A_k.
Its corner entry is the skew at x*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import Array
from boundkit.simulation.problems import Quadratic

_NUMBERS = 2_000_000


@dataclass(frozen=True)
class Pencil:
    """The matrices A_k of a problem, (m, d+1, d+1), or (m, d, d) where Gamma = 0: then the corner is 0/0."""

    problem: Quadratic
    gamma: float

    @classmethod
    def of(cls, problem: Any) -> Pencil:
        """Raises BoundkitError for other than quadratics, and where F has no single minimiser."""
        if not isinstance(problem, Quadratic):
            raise BoundkitError(
                f"the skew of a selection is computed for quadratic problems, not for {problem.kind} ones."
            )
        convex, why = problem.convexity()
        if not convex:
            raise BoundkitError(f"the skew needs clients with a least loss, but {why}.")
        if problem.optimum is None:
            raise BoundkitError("the skew needs a mean loss with one minimiser, but sum p_i H_i is singular.")
        gamma = problem.heterogeneity
        assert gamma is not None  # all clients are convex
        size = problem.losses(np.zeros(problem.d)) @ problem.p
        return cls(problem, gamma.value if gamma.value > 1e-24 * size else 0.0)

    @cached_property
    def root(self) -> Array:
        """H^-1/2, (d, d)."""
        mean = self.problem.mean_hessian
        values, vectors = np.linalg.eigh(np.diag(mean) if self.problem.diagonal else mean)
        return np.asarray((vectors / np.sqrt(values)) @ vectors.T)

    @cached_property
    def matrices(self) -> Array:
        """A_k for every client."""
        problem = self.problem
        d = problem.d
        what = f"the skew of {problem.m:,} clients in {d:,} dimensions, from one dense matrix a client,"
        refuse_larger(24 * problem.m * (d + 1) ** 2, what, "use fewer clients or dimensions")
        H = problem.H[..., None] * np.eye(d) if problem.diagonal else problem.H
        A = np.zeros((problem.m, d + 1, d + 1))
        A[:, :d, :d] = self.root @ H @ self.root
        if self.gamma == 0:
            return A[:, :d, :d]
        slopes = problem.apply(problem.centre - problem.e) @ self.root / np.sqrt(2 * self.gamma)
        A[:, :d, d] = A[:, d, :d] = slopes
        A[:, d, d] = problem.losses(problem.centre) / self.gamma
        return A

    def at(self, shares: Array, models: Array) -> Array:
        """rho(S, x') for shares (..., m) and models x' (..., d); nan where all losses are at their minima."""
        losses = self.problem.losses(models)
        with np.errstate(invalid="ignore"):
            return np.asarray((shares * losses).sum(-1) / (losses @ self.problem.p))

    def at_optimum(self, shares: Array) -> Array:
        """rho(S, x*), (..., m) to (...,). Raises BoundkitError where Gamma = 0."""
        if self.gamma == 0:
            raise BoundkitError("Gamma = 0: at x* every client is at its minimum, and the skew there is 0/0.")
        return np.asarray(shares @ self.matrices[:, -1, -1])

    def least(self, shares: Array) -> Array:
        """min over all x' of rho(S, x'), for shares (n, m); (n,)."""
        rows = max(1, _NUMBERS // self.matrices[0].size)
        parts = [
            np.linalg.eigvalsh(np.tensordot(shares[a : a + rows], self.matrices, 1))[:, 0]
            for a in range(0, len(shares), rows)
        ]
        return np.maximum(np.concatenate(parts), 0.0) if parts else np.zeros(0)

    def minimiser(self, shares: Array) -> tuple[Array, bool]:
        """Minimiser of rho(S, .) for shares (m,): a model x', or (False) a direction of recession."""
        vector = np.linalg.eigh(np.tensordot(shares, self.matrices, 1))[1][:, 0]
        d = self.problem.d
        direction = self.root @ vector[:d]
        if self.gamma == 0 or abs(vector[d]) <= 1e-9:
            return direction / np.linalg.norm(direction), False
        return self.problem.centre + direction * np.sqrt(2 * self.gamma) / vector[d], True
