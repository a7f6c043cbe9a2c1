"""Affine maps of an algorithm and of the local steps of a round, and the limits of their iteration.

An affine function is determined by its values at 0 and at a basis. So no map is derived by hand: the
functions of the step engine are evaluated at a basis, and the engines that need matrices read them off.
In the axes of a client's own Hessian the functions of a round never mix coordinates (they add and scale
whole arrays, and the gradient scales each coordinate), so one probe per array is enough in any
dimension.

A local step maps z, the local arrays of a client, to z + D z + c + noise. All local steps of a round are one
affine map with noise, by repeated squaring. D is stored rather than I + D: for small step sizes eta,
1 - eta h loses digits of eta h, and the power of many steps would amplify that error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Algorithm
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.arrays import Array

Tensors = dict[str, Array]
TOLERANCE = 1e-9
"""Relative tolerance of the affinity check, for rounding."""
_FAR = (1.0, 1e-3, 1e2, 1e4)
"""Distances of the points at which affinity is checked: a kink may be near the base point, or far."""


class NotAffine(BoundkitError):
    """A map that is not affine."""


def affinity_test_points(base: Array) -> Array:
    """Test points outside the basis, near and far, on both sides: offsets from ``base``, (P, *base.shape)."""
    rng = np.random.default_rng(1)
    one_side = [scale * rng.standard_normal(base.shape) for scale in _FAR]
    return np.stack([*one_side, *(-v for v in one_side)])


@dataclass(frozen=True)
class Affine:
    """v -> A v + c per client and coordinate: A is (m, d, out, in), c is (m, d, out), over named arrays."""

    A: Array
    c: Array


def probe(
    function: Callable[[Tensors], Tensors], names: Sequence[str], clients: int, d: int, check: bool = True
) -> Affine:
    """Compute the affine map of a function from named arrays (R, clients, d) to arrays of that shape.

    Raises NotAffine where the check at near and far points fails. Without ``check`` the inputs are
    (R, clients, 1): a basis is the same in all coordinates.
    """
    size = len(names)
    tested = affinity_test_points(np.zeros((size, 1, d))) if check else np.empty((0, size, 1, 1))
    rows = size + 1 + len(tested)
    inputs = {name: np.zeros((rows, clients, tested.shape[-1])) for name in names}
    for k, name in enumerate(names):
        inputs[name][1 + k] = 1.0
        inputs[name][size + 1 :] = tested[:, k]  # a server state is one for all
    with np.errstate(all="ignore"):
        outputs = [np.asarray(output) for output in function(inputs).values()]
    width = max(output.shape[-1] for output in outputs)
    values = np.stack([np.broadcast_to(output, (rows, clients, width)) for output in outputs], axis=-1)
    A, c = np.moveaxis(values[1 : size + 1] - values[0], 0, -1).copy(), values[0].copy()
    finite = np.isfinite(values).all()
    if not finite or (check and not _is_affine(A, values, tested)):
        raise NotAffine("a step of this algorithm is not affine.")
    return Affine(A, c)


def _is_affine(A: Array, values: Array, tested: Array) -> bool:
    """Whether the values at the tested points, which are last, are those of the map."""
    size = A.shape[-1]
    expected = sum((A[..., k] * tested[:, k, ..., None] for k in range(size)), values[0])
    missed = np.abs(values[size + 1 :] - expected).max(axis=(1, 2, 3))
    scale = np.abs(values[: size + 1]).max() * (1 + np.abs(tested).max(axis=(1, 2, 3)))
    return bool((missed <= TOLERANCE * np.maximum(1.0, scale)).all())


def multiply(A: Array, B: Array) -> Array:
    """A B for each of a batch; by numbers where the inner dimension is 1, as it mostly is."""
    return np.asarray(A * B if A.shape[-1] == 1 else A @ B)


def apply_matrices(A: Array, v: Array) -> Array:
    """A v for each of a batch."""
    return multiply(A, v[..., None])[..., 0]


_CONSERVED = 1e-14
"""A relative singular value of I - A (per number of the state) below which a direction is conserved."""
SLOW = 1e-11
"""A relative singular value below which convergence is too slow for double precision."""
TOO_SLOW = "the rounds change a direction so slowly that its limit cannot be computed; take larger steps."
_DRIFT = 1e-9
_INVOLVED = 1e-6


@dataclass(frozen=True)
class Limit:
    """The limit ``points``, (N,), and the convergence factor of all that is not conserved."""

    points: Array
    spectral_radius: float


def refuse_overflow(*maps: Array) -> None:
    """Raise BoundkitError where the affine maps of the rounds overflowed."""
    if not all(np.isfinite(part).all() for part in maps):
        raise BoundkitError("the run diverges so fast that its rounds overflow; take smaller steps.")


def limit_of(A: Array, b: Array, start: Array, model: slice | None = None) -> Limit:
    """The limit of s <- A s + b from ``start``.

    With W spanning the left null space of I - A, W's is conserved; so the limit solves (I - A) s = b and
    W's = W'start. Raises BoundkitError where W'b is not 0: the state then diverges; where a
    direction converges too slowly to decide; and where W involves the ``model``, whose limit is required.
    """
    refuse_overflow(A, b)
    size = len(b)
    U, values, _ = np.linalg.svd(np.eye(size) - A)
    size_at_start = max(1.0, float(np.abs(start).max()))  # A is probed there, with relative errors
    conserved = values <= _CONSERVED * size * size_at_start * max(values[0], 1e-300)
    if (~conserved & (values <= SLOW * values[0])).any():
        raise BoundkitError(TOO_SLOW)
    W = U[:, conserved]
    if model is not None and np.abs(W[model]).max(initial=0.0) > _INVOLVED:
        raise BoundkitError(
            "the rounds leave a direction of the model unchanged, or change it too slowly to tell."
        )
    scale = max(1.0, float(np.abs(b).max()), float(np.abs(start).max()))
    if W.shape[1] and np.abs(W.T @ b).max() > _DRIFT * scale:
        raise BoundkitError("the rounds add to a conserved quantity, so the run has no limit.")
    system = np.vstack([np.eye(size) - A, W.T])
    right = np.concatenate([b, W.T @ start])
    if np.linalg.matrix_rank(system, tol=_CONSERVED * size * size_at_start * max(values[0], 1.0)) < size:
        raise BoundkitError("the rounds leave a direction unchanged, so the run determines no limit.")
    solution = np.linalg.lstsq(system, right, rcond=None)[0]
    moduli = np.abs(np.linalg.eigvals(A))
    free = np.sort(moduli[np.argsort(np.abs(np.linalg.eigvals(A) - 1))][W.shape[1] :])
    return Limit(np.asarray(solution), float(free[-1]) if len(free) else 0.0)


Gradient = Callable[[Array], Array]
_CACHED = 64
"""Most maps of many steps in the cache."""


@dataclass(frozen=True)
class LocalMap:
    """z -> z + D z + c + noise of covariance V, by client and coordinate: one local step, or many.

    D and V are (m, d, k, k) and c is (m, d, k), over the k arrays of a client's local state.
    """

    D: Array
    c: Array
    V: Array

    def then(self, after: LocalMap) -> LocalMap:
        """This map first, ``after`` next, with fresh noise."""
        E = after.D
        EV = multiply(E, self.V)
        return LocalMap(
            self.D + E + multiply(E, self.D),
            self.c + after.c + apply_matrices(E, self.c),
            self.V + after.V + EV + np.swapaxes(EV, -1, -2) + multiply(EV, np.swapaxes(E, -1, -2)),
        )

    def power(self, steps: int) -> LocalMap:
        """The map of that many steps (at least one), by repeated squaring."""
        if steps == 1:
            return self
        half = self.then(self).power(steps // 2)
        return half.then(self) if steps % 2 else half


class LocalMaps:
    """The maps of local steps of m clients.

    Parameters
    ----------
    algorithm
        Its ``local_step`` is evaluated at a basis.
    gradient
        The gradients of all m clients, separately for each coordinate, without noise.
    names
        The arrays of a client's local state, in the order of the maps.
    shape
        m and d.
    deviation
        The standard deviation of a coordinate of the gradient noise.
    check
        Whether the local steps are checked to be affine.

    Raises
    ------
    NotAffine
        Where a local step is not affine.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        gradient: Gradient,
        names: Sequence[str],
        shape: tuple[int, int],
        deviation: float = 0.0,
        check: bool = True,
    ) -> None:
        self.algorithm, self.gradient, self.names = algorithm, gradient, tuple(names)
        self.shape, self.deviation, self.check = shape, deviation, check
        self._powers: dict[tuple[float, int], LocalMap] = {}
        slope = probe(lambda inputs: {"g": gradient(inputs["y"])}, ("y",), *shape, check)
        self._slope, self._at_zero = slope.A[..., 0, 0], slope.c[..., 0]

    def one(self, rate: float) -> LocalMap:
        """One local step at this step size."""

        def step(inputs: Tensors) -> Tensors:
            local = {name: inputs[name] for name in self.names}
            after = self.algorithm.local_step(local, inputs["gradient"], rate)
            if not self.check:
                return after
            # a kink may show only at the clients' own gradients
            own = self.algorithm.local_step(local, self.gradient(inputs["y"]), rate)
            return after | {f"own {name}": value for name, value in own.items()}

        affine = probe(step, (*self.names, "gradient"), *self.shape, self.check)
        k, y = len(self.names), self.names.index("y")
        of_gradient = affine.A[..., :k, k]
        unit = np.eye(k)
        D = affine.A[..., :k, :k] - unit
        D = D + of_gradient[..., :, None] * self._slope[..., None, None] * unit[y]
        c = affine.c[..., :k] + of_gradient * self._at_zero[..., None]
        V = of_gradient[..., :, None] * of_gradient[..., None, :] * self.deviation**2
        return LocalMap(D, c, np.broadcast_to(V, D.shape))

    def power(self, rate: float, steps: int) -> LocalMap:
        """``steps`` local steps at this step size; cached for the next round."""
        key = (rate, steps)
        if key not in self._powers:
            if len(self._powers) == _CACHED:
                self._powers.clear()
            self._powers[key] = self.one(rate).power(steps)
        return self._powers[key]

    def many(self, steps: NDArray[np.intp], rates: Array) -> LocalMap:
        """All local steps of every client, (m,), at these step sizes."""
        counts = sorted(set(steps.tolist()))  # np.unique loads numpy.ma
        if is_constant(rates):
            powers = {tau: self.power(float(rates[0]), tau) for tau in counts}
        else:
            powers, product = {}, None
            for k, rate in enumerate(rates[: counts[-1]]):
                one = self.one(float(rate))
                product = one if product is None else product.then(one)
                if k + 1 in counts:
                    powers[k + 1] = product
        first = powers[counts[0]]
        if len(counts) == 1:
            return first
        D, c, V = np.empty_like(first.D), np.empty_like(first.c), np.empty_like(first.V)
        for tau, power in powers.items():
            clients = steps == tau
            D[clients], c[clients], V[clients] = power.D[clients], power.c[clients], power.V[clients]
        return LocalMap(D, c, V)
