"""Homogeneous clients: the points in random order, in pieces of equal or unequal sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.data.partitioners.base import SEED, Indices, Partitioner, check_enough_points
from boundkit.simulation.validation import positive, whole

LOGNORMAL = "lognormal"


class Iid(Partitioner):
    """A random order of all points, cut into ``num_partitions`` pieces, client after client.

    Sizes differ by at most 1 and the larger are first. With ``sizes`` "lognormal" they are unequal: every
    client gets one point, and the rest is in proportion to exp(``sigma`` z_k), z_k normal (largest
    remainders); sigma is 1 by default. With a list, one size a client, remaining points are not used.

    Raises BoundkitError for numbers outside their range, and a list of another length.
    """

    kind = "iid"

    def __init__(self, num_partitions: int, sizes: Any = None, sigma: Any = None, seed: int = SEED) -> None:
        self.num_partitions = whole("num_partitions", num_partitions, 1)
        self.sizes = _checked(sizes, self.num_partitions)
        if sigma is not None and sizes != LOGNORMAL:
            raise BoundkitError(
                'sigma is the standard deviation of lognormal sizes; give "sizes": "lognormal" with it.'
            )
        self.sigma = 1.0 if sizes == LOGNORMAL and sigma is None else sigma
        if self.sigma is not None:
            self.sigma = positive("sigma", self.sigma)
        self.seed = whole("seed", seed, 0)

    def split(self, y: NDArray[Any], groups: NDArray[Any] | None = None) -> list[Indices]:
        N, m = len(y), self.num_partitions
        check_enough_points(N, m)
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(N)
        if self.sizes is None:
            return np.array_split(order, m)
        sizes = self.sizes
        if self.sigma is not None:
            sizes = proportional(N, self.sigma * rng.standard_normal(m))
        elif sum(sizes) > N:
            raise BoundkitError(f"sizes sum to {sum(sizes)} points, but the data have {N}.")
        return np.split(order, np.cumsum(sizes))[:-1]


def proportional(points: int, logarithms: NDArray[np.float64]) -> NDArray[np.intp]:
    """Whole sizes of at least 1 that sum to ``points``, the rest in proportion to exp(logarithms)."""
    share = np.exp(logarithms - logarithms.max())
    due = (points - len(share)) * share / share.sum()
    sizes = np.floor(due).astype(np.intp)
    most_due = np.argsort(sizes - due, kind="stable")[: points - len(share) - int(sizes.sum())]
    sizes[most_due] += 1
    return np.asarray(sizes + 1)


def _checked(sizes: Any, m: int) -> Any:
    if sizes is None:
        return None
    if isinstance(sizes, str):
        if sizes != LOGNORMAL:
            raise unknown("distribution of sizes", sizes, (LOGNORMAL,))
        return sizes
    if not isinstance(sizes, (list, tuple, np.ndarray)) or len(sizes) != m:
        raise BoundkitError(f'sizes must be "lognormal" or {m} whole numbers, one a client.')
    return [whole(f"sizes[{i}]", n, 1) for i, n in enumerate(sizes)]
