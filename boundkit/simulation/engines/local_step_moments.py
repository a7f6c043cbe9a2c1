"""Mean and covariance of the local steps of a round: one affine map with noise, by repeated squaring.

A local step maps z, the local arrays of a client, to z + D z + c + noise. D is stored rather than I + D: for
small step sizes eta, 1 - eta h loses digits of eta h, and the power of many steps would amplify that error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.algorithms import Algorithm
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.arrays import Array
from boundkit.simulation.engines.affine_maps import Tensors, apply_matrices, multiply, probe

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
