"""Quadratics: F_i(x) = 1/2 (x - e_i)' H_i (x - e_i), with exact constants and moments.

A local step is affine, so tau of them are; first and second moments of the server's iterate have a closed
recursion, and every constant but the dissimilarity has a formula. Not covered: noise drift (noise changes
the iterate of a client, but not the mean of affine gradients), and all effects of third derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import LARGEST
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import AnyArray, Array, Clients, as_like, is_torch_array, to_device
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Problem, QuadraticForm
from boundkit.simulation.validation import checked_array, checked_centers, checked_noise, checked_weights

_SYMMETRY = 1e-12


def hessians_of(given: Any, m: int, d: int) -> Array:
    """(m, d) where all are diagonal, (m, d, d) otherwise."""
    diagonal = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.shape == (m, d)
    if diagonal and (np.abs(given) <= LARGEST).all():  # else the refusal below names the client
        return np.array(given)
    try:
        entries = list(given)
    except TypeError:
        raise BoundkitError("H must be a list with one entry a client.") from None
    if len(entries) != m:
        raise BoundkitError(f"H has {len(entries)} entries, but e has {m} clients.")
    if set(map(type, entries)) <= {float}:  # one number for each of many clients, all at once
        numbers = np.array(entries)
        if (np.abs(numbers) <= LARGEST).all():  # else the refusal below names the client
            return np.repeat(numbers[:, None], d, axis=1)
    parts = [_one_hessian(i, h, d) for i, h in enumerate(entries)]
    if all(h.ndim == 1 for h in parts):
        return np.stack(parts)
    refuse_larger(24 * m * d**2, f"the list of {m:,} dense Hessians (d = {d:,})", "use fewer clients")
    return np.stack([np.diag(h) if h.ndim == 1 else h for h in parts])


def _one_hessian(i: int, given: Any, d: int) -> Array:
    name = f"H[{i}]"
    ndim = np.ndim(given) if not isinstance(given, (list, tuple)) else _depth(given)
    if ndim == 0:
        return np.full(d, float(checked_array(name, given, ())))
    if ndim == 1:
        return checked_array(name, given, (d,))
    h = checked_array(name, given, (d, d))
    scale = np.abs(h).max()
    skew = np.abs(h - h.T).max()
    if skew > _SYMMETRY * scale:
        raise BoundkitError(
            f"{name} must be symmetric, but entries across its diagonal differ by {skew:.3g}."
        )
    off = h - np.diag(np.diag(h))
    return np.diag(h).copy() if not off.any() else (h + h.T) / 2


def _depth(value: Any) -> int:
    return (
        1 + max((_depth(v) for v in value), default=0) if isinstance(value, (list, tuple)) else np.ndim(value)
    )


_ROUNDING = 1e-9


def checked_parts(parts: Any, m: int, d: int, noise: float) -> Array:
    """g_ib, (m, B, d), with sum_b g_ib = 0 for each client.

    Raises BoundkitError for another shape or sum, and where gradients have noise as well.
    """
    g = checked_array("parts", parts, (m, None, d))
    if g.shape[1] == 0:
        raise BoundkitError("parts must hold at least one part a client.")
    if noise > 0:
        raise BoundkitError(f"a problem has parts or noise, but here it has parts and noise {noise:g}.")
    rest = np.abs(g.sum(axis=1)).max(axis=1)
    worst = int(np.argmax(rest))
    if rest[worst] > _ROUNDING * max(np.abs(g).max(), 1e-300):
        raise BoundkitError(
            f"the parts of a client must sum to 0, but in one coordinate those of client {worst} sum to "
            f"{rest[worst]:g} in size."
        )
    return g


class Quadratic(Problem):
    """Clients' quadratics, by Hessians and minimisers.

    F_i(x) = 1/2 (x - e_i)' H_i (x - e_i).

    Parameters
    ----------
    hessians
        H_i, one entry for each of m clients: a number h (for h I), d numbers (a diagonal), or a symmetric
        (d, d) matrix. Stored as (m, d) where all are diagonal, as (m, d, d) otherwise.
    centers
        The minimisers e_i, (m, d).
    weights
        p_i >= 0 with sum 1, (m,); {"dirichlet": a, "seed": s} draws them. Uniform by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.
    parts
        g_ib, (m, B, d), with sum_b g_ib = 0, instead of noise: client i's loss is the mean of B parts, of
        which part b has the gradient H_i (y - e_i) + g_ib, and its local steps pass over them in a reshuffled
        order.

    Raises
    ------
    BoundkitError
        For wrong shapes, a Hessian that is not symmetric, a mean loss without a stationary point, or parts
        that do not sum to 0 or are combined with noise.

    Examples
    --------
    >>> problem = Quadratic([1.0, [0.5, 2.0]], [[1.0, 0.0], [-1.0, 2.0]])
    >>> problem.m, problem.d, problem.optimum.round(3).tolist()
    (2, 2, [0.333, 1.333])
    """

    kind = "quadratic"
    fields = (("H", "e"), ("p", "parts"))

    def __init__(
        self,
        hessians: Sequence[Any] | Array,
        centers: Any,
        weights: Any = None,
        noise: float = 0.0,
        parts: Any = None,
    ) -> None:
        self.e = checked_centers(centers)
        self.m, self.d = self.e.shape
        self.H = hessians_of(hessians, self.m, self.d)
        self.p = checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        self.parts = None if parts is None else checked_parts(parts, self.m, self.d, self.noise)
        self.diagonal = self.H.ndim == 2
        self.centre = self._stationary_point()
        self.optimum: Array | None = self.centre if self.mean_eigenvalues[0] > 0 else None

    @classmethod
    def random(
        cls,
        clients: int,
        dimension: int,
        seed: int = 0,
        curvature: tuple[float, float] = (0.1, 1.0),
        spread: float = 1.0,
        dense: bool = False,
        shared: bool = False,
        noise: float = 0.0,
    ) -> Quadratic:
        """Random clients: log-spaced eigenvalues over ``curvature``, minimisers N(0, spread^2 I).

        ``dense`` applies a random rotation to each Hessian; ``shared`` gives all clients the same one, so
        that the dissimilarity is constant on all of space.
        """
        rng = np.random.default_rng(seed)
        spectrum = np.geomspace(*curvature, dimension) if dimension > 1 else np.array([curvature[1]])
        hessians = []
        for _ in range(1 if shared else clients):
            h = rng.permutation(spectrum)
            if dense:
                Q = np.linalg.qr(rng.standard_normal((dimension, dimension)))[0]
                full = (Q * h) @ Q.T
                h = (full + full.T) / 2
            hessians.append(h)
        e = spread * rng.standard_normal((clients, dimension))
        return cls(hessians * clients if shared else hessians, e, noise=noise)

    @cached_property
    def mean_hessian(self) -> Array:
        """sum p_i H_i, (d,) or (d, d)."""
        return np.tensordot(self.p, self.H, 1)

    @cached_property
    def mean_eigenvalues(self) -> Array:
        """The eigenvalues of the mean Hessian, in increasing order."""
        h = self.mean_hessian
        return np.sort(h) if self.diagonal else np.linalg.eigvalsh(h).astype(np.float64)

    @cached_property
    def _eigen(self) -> tuple[Array, Array | None]:
        if self.diagonal:
            return self.H, None
        values, vectors = np.linalg.eigh(self.H)
        return values, vectors

    @property
    def spectrum(self) -> Array:
        """The eigenvalues of each client's Hessian, (m, d), in the order of its own axes."""
        return self._eigen[0]

    @property
    def basis(self) -> Array | None:  # type: ignore[override]
        """Each client's own axes as columns, (m, d, d); None where they are the common ones."""
        return self._eigen[1]

    @cached_property
    def own_centers(self) -> Array:
        """The minimisers in own axes, Q_i' e_i, (m, d)."""
        return self.e if self.basis is None else np.einsum("ikj,ik->ij", self.basis, self.e)

    @property
    def eigenvalues(self) -> Array:
        """The eigenvalues of each client's Hessian, (m, d), in increasing order."""
        return np.sort(self.spectrum, axis=1)

    def apply(self, v: Array) -> Array:
        """H_i v_i for every client; v is (d,) or (m, d)."""
        v = np.broadcast_to(v, (self.m, self.d))
        return self.H * v if self.diagonal else np.einsum("ijk,ik->ij", self.H, v)

    def _stationary_point(self) -> Array:
        linear = self.p @ self.apply(self.e)
        if self.diagonal:
            h = self.mean_hessian
            small = np.abs(h) <= 1e-14 * max(np.abs(h).max(), 1e-300)
            x = np.where(small, 0.0, linear / np.where(small, 1.0, h))
            rest = linear - h * x
        else:
            x = np.linalg.lstsq(self.mean_hessian, linear, rcond=1e-14)[0]
            rest = linear - self.mean_hessian @ x
        if np.abs(rest).max() > 1e-9 * max(np.abs(linear).max(), 1e-300):
            raise BoundkitError(
                "the mean Hessian sum p_i H_i is singular and the mean loss has no stationary point; "
                "it needs full rank, or linear parts that it can meet."
            )
        return x

    @cached_property
    def forms(self) -> dict[str, QuadraticForm]:
        """Every observable as a quadratic form in u = x - centre."""
        mean, zero = self.mean_hessian, np.zeros(self.d)
        square = np.square if self.diagonal else _squared
        pull = self.apply(self.centre - self.e)  # grad F_i at the centre; sums to zero under p
        at_centre = 0.5 * float(self.p @ ((self.centre - self.e) * pull).sum(1))
        deviation = self.H - mean  # not sum p_i H_i^2 - H^2, in which equal Hessians would cancel
        forms = {
            "loss": QuadraticForm(mean / 2, zero, at_centre),
            "gradient_norm_squared": QuadraticForm(square(mean), zero, 0.0),
            "dissimilarity": QuadraticForm(
                np.tensordot(self.p, square(deviation), 1),
                self.p @ (deviation * pull if self.diagonal else np.einsum("ijk,ik->ij", deviation, pull)),
                float(self.p @ (pull**2).sum(1)),
            ),
        }
        if self.mean_eigenvalues[0] >= -1e-12 * self.mean_eigenvalues[-1]:
            forms["loss_gap"] = QuadraticForm(mean / 2, zero, 0.0)
        if self.optimum is not None:
            forms["distance_squared"] = QuadraticForm(np.ones(self.d), zero, 0.0)
        return forms

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """Each observable from its quadratic form, centred, so that nothing cancels near the optimum."""
        u = x - as_like(self.centre, x)
        observables = {name: form(u) for name, form in self.forms.items() if name != "loss"}
        loss = self.forms["loss"]
        return {
            "loss": observables["loss_gap"] + loss.c if "loss_gap" in observables else loss(u),
            **observables,
        }

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """H_i (y - e_i), with the Hessians of the round gathered once."""
        if own_axes or self.diagonal:
            h, e = as_like(self.spectrum[clients], like), as_like(self.own_centers[clients], like)
            return lambda y: h * (y - e)
        H, e = as_like(self.H[clients], like), as_like(self.e[clients], like)
        return lambda y: multiply_rows(y - e, H)

    def losses(self, x: AnyArray) -> AnyArray:
        """1/2 (x - e_i)' H_i (x - e_i) for every client."""
        return self.losses_at(np.arange(self.m), x[..., None, :])

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """1/2 (y - e_i)' H_i (y - e_i), each client at its own y."""
        H, offset = as_like(self.H[clients], y), y - as_like(self.e[clients], y)
        product = offset * H if self.diagonal else multiply_rows(offset, H)
        return (offset * product).sum(-1) / 2

    @property
    def minima(self) -> Array | None:
        """0 for every client, where no Hessian has a negative eigenvalue."""
        return np.zeros(self.m) if self.convexity()[0] else None

    @property
    def heterogeneity(self) -> Constant | None:
        """Gamma = F(x*) = 1/2 sum p_i (x* - e_i)' H_i (x* - e_i): every client's own minimum is 0."""
        if self.minima is None:
            return None
        return Constant(self.forms["loss"].c, "exact", "sum p_i F_i(x*), each F_i with the minimum 0")

    @property
    def homogeneous(self) -> bool:
        """Whether all H_i are the same, and all e_i on the range of H."""
        H = np.abs(self.H).max()
        differences = self.apply(self.e - self.e[0])
        return bool(
            np.ptp(self.H, axis=0).max() <= 1e-12 * H
            and np.abs(differences).max() <= 1e-12 * H * np.abs(self.e).max()
        )

    def proximal(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray, float], AnyArray]:
        """(H_i + mu I)^-1 (H_i e_i + mu x), by eigenvalues. Raises BoundkitError where that is no minimum."""
        h, e = as_like(self.spectrum[clients], like), as_like(self.own_centers[clients], like)
        Q = None if own_axes or self.basis is None else as_like(self.basis[clients], like)

        def minimise(x: AnyArray, mu: float) -> AnyArray:
            if float(h.min()) + mu <= 0:
                lowest = float(h.min())
                raise BoundkitError(
                    f"mu = {mu:g} is too small for a proximal minimum: H has the eigenvalue {lowest:g}."
                )
            if Q is None:
                return (h * e + mu * x) / (h + mu)
            own = multiply_rows(x, Q)
            return multiply_rows((h * e + mu * own) / (h + mu), Q.swapaxes(-1, -2))

        return minimise

    def constants(self, x0: Array) -> dict[str, Constant]:
        """L, mu, sigma, gap and distance by formula; sigma_g where all clients share one Hessian."""
        curvature = self.eigenvalues
        constants = {
            "L": Constant(float(np.abs(curvature).max()), "exact", "largest |eigenvalue| of any H_i"),
            "sigma": self._sigma,
        }
        if curvature.min() > 0:
            constants["mu"] = Constant(float(curvature.min()), "exact", "smallest eigenvalue of any H_i")
        with np.errstate(over="ignore", invalid="ignore"):  # a start too far away is refused as infinite
            start = {k: float(v) for k, v in self.observe(x0).items()}
        if "loss_gap" in start:
            constants["gap"] = Constant(max(start["loss_gap"], 0.0), "exact", "F(x_0) - F(x*)")
        if "distance_squared" in start:
            constants["distance"] = Constant(start["distance_squared"] ** 0.5, "exact", "||x_0 - x*||")
        if np.ptp(self.H, axis=0).max() <= 1e-14 * np.abs(self.H).max():
            constants["sigma_g"] = Constant(
                self.forms["dissimilarity"].c ** 0.5,
                "exact",
                "sqrt(sum p_i ||H (e_i - mean e)||^2), one shared H",
            )
        return constants

    @property
    def _sigma(self) -> Constant:
        if self.parts is None:
            return Constant(self.noise, "exact", "the given noise")
        longest = float(np.linalg.norm(self.parts, axis=2).max())
        return Constant(longest, "exact", "largest ||g_ib|| of any part")

    def without_noise(self) -> Self:
        """The same problem without noise and without parts."""
        same = super().without_noise()
        same.parts = None
        return same

    def convexity(self) -> tuple[bool, str]:
        """Convex where no client's Hessian has a negative eigenvalue (up to rounding)."""
        lowest = self.eigenvalues[:, 0]
        worst = int(np.argmin(lowest))
        if lowest[worst] >= -1e-12 * np.abs(self.eigenvalues).max():
            return True, ""
        return False, f"H of client {worst} has the eigenvalue {lowest[worst]:.6g}"

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        return cls(given["H"], given["e"], given.get("p"), noise, given.get("parts"))

    def to_json(self) -> dict[str, Any]:
        parts = {} if self.parts is None else {"parts": self.parts.tolist()}
        clients = {"H": self.H.tolist(), "e": self.e.tolist(), "p": self.p.tolist()}
        return {"kind": self.kind, **clients, **parts}


def multiply_rows(rows: AnyArray, matrices: AnyArray) -> AnyArray:
    """v_i' A_i for rows v_i, (..., n, d), and matrices A_i, (n, d, d) or (..., n, d, d)."""
    if is_torch_array(rows) and rows.is_cpu and not rows.requires_grad:
        # numpy's product of rows and matrices is several times faster than any form of torch on a CPU
        return to_device(multiply_rows(rows.numpy(), matrices.numpy()), rows)
    if rows.ndim == 3 and matrices.ndim == 3:  # the same clients in every replica: a product for each client
        return (rows.swapaxes(0, 1) @ matrices).swapaxes(0, 1)
    return (rows[..., None, :] @ matrices)[..., 0, :]


def _squared(h: Array) -> Array:
    return np.asarray(h @ h)
