"""Regularised multinomial logistic regression on Synthetic(alpha, beta).

F_i(x) = mean over the client's points of -log softmax(W' z)_label + l2/2 ||x||^2, with z the features and a
1, and x = W row by row, (features + 1) classes numbers. p_i = n_i/n by default, as published.

L. The Hessian at a point is (diag(q) - q q') (x) z z' with q the softmax, and diag(q) - q q' has no
eigenvalue above 1/2: so L = max_i lambda_max(Z_i'Z_i/n_i)/2 + l2, an upper bound that holds everywhere.
mu = l2, and no larger: adding one number to all classes changes no loss.

The optimum and the clients' minima are computed by Newton's method. With final gradient g, F is within
||g||^2/(2 l2) of its infimum: that is the error of the constants marked as estimated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Pointwise
from boundkit.simulation.problems.softmax_regression import CrossEntropy, Softmax, minimise
from boundkit.simulation.validation import (
    checked_array,
    checked_noise,
    checked_weights,
    no_larger,
    positive,
    whole,
)


@dataclass(frozen=True)
class Data:
    """A client's points: features with a last column of ones, (n, features + 1), and labels, (n,)."""

    X: Array
    y: NDArray[np.intp]


def synthetic_sizes(clients: int, seed: int) -> NDArray[np.intp]:
    """The number of points of each client: integer parts of lognormal(4, 2), plus 50."""
    return np.random.default_rng([seed, 0]).lognormal(4.0, 2.0, clients).astype(np.intp) + 50


def synthetic(
    alpha: float, beta: float, sizes: NDArray[np.intp], seed: int, features: int = 60, classes: int = 10
) -> list[Data]:
    """Synthetic(alpha, beta): heterogeneous classification data, by FedProx's published generator.

    The data of every client. A client's data do not depend on the sizes of the others.

    Li, Sahu, Zaheer, Sanjabi, Talwalkar, Smith 2020 (arXiv 1812.06127), section 5.1 and the published code.
    For every client k: a mean level B_k ~ N(0, beta^2) and means v_k ~ N(B_k, 1) of the features; features
    x ~ N(v_k, Sigma) with the diagonal Sigma_jj = j^(-1.2); a model level u_k ~ N(0, alpha^2), weights and
    intercepts W_k, b_k ~ N(u_k, 1); labels y = argmax softmax(W_k' x + b_k). Sizes are the integer part of a
    lognormal(4, 2) number, plus 50. So alpha controls the heterogeneity of the clients' models, and beta that
    of their data.

    The paper writes N(0, alpha) and N(0, beta); the code draws with standard deviations alpha and beta, and
    so does this implementation. For 0 and 1 they agree. The code reserves a tenth of each client's points for
    testing; here all are used for training. Its streams are not seeded, so its draws cannot be reproduced.
    """
    spread = np.arange(1, features + 1) ** -0.6
    made = []
    for k, n in enumerate(sizes):
        rng = np.random.default_rng([seed, 1, k])
        u, B = alpha * rng.standard_normal(), beta * rng.standard_normal()
        v = B + rng.standard_normal(features)
        W, b = u + rng.standard_normal((features, classes)), u + rng.standard_normal(classes)
        x = v + spread * rng.standard_normal((int(n), features))
        made.append(Data(np.hstack([x, np.ones((len(x), 1))]), np.argmax(x @ W + b, axis=1)))
    return made


_MOST_POINTS, _MOST_PARAMETERS = 10**6, 5000
_WIDEST = 1e6


class Logistic(Pointwise):
    """Regularised multinomial logistic regression on data of the generator Synthetic(alpha, beta).

    Parameters
    ----------
    alpha, beta
        Heterogeneity of the clients' models and of their data, at least 0.
    clients
        m, the number of clients.
    seed
        Of the data.
    l2
        The penalty l2/2 ||w||^2, above 0, which makes every loss strongly convex.
    features, classes
        Of a point; d = (features + 1) classes.
    sizes
        The number of points of each client, (m,); drawn from the seed by default.
    weights
        p_i >= 0 with sum 1, (m,); in proportion to the sizes by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.

    Raises
    ------
    BoundkitError
        For numbers outside their range.

    Examples
    --------
    >>> problem = Logistic(1.0, 1.0, clients=3, features=2, classes=2, sizes=[5, 5, 5])
    >>> problem.m, problem.d
    (3, 6)
    """

    kind = "logistic"
    fields = (("alpha", "beta", "clients"), ("seed", "l2", "features", "classes", "sizes", "p"))

    def __init__(
        self,
        alpha: float,
        beta: float,
        clients: int,
        seed: int = 0,
        l2: float = 0.01,
        features: int = 60,
        classes: int = 10,
        sizes: Any = None,
        weights: Any = None,
        noise: float = 0.0,
    ) -> None:
        self.alpha, self.beta = _at_least_zero("alpha", alpha), _at_least_zero("beta", beta)
        self.m, self.seed = whole("clients", clients, 1, _MOST_POINTS), whole("seed", seed, 0)
        self.features, self.classes = whole("features", features, 1), whole("classes", classes, 2)
        self.d = (self.features + 1) * self.classes
        if self.d > _MOST_PARAMETERS:
            raise BoundkitError(
                f"(features + 1) classes must be at most {_MOST_PARAMETERS}, but it is {self.d}."
            )
        self.l2 = positive("l2", l2)  # without it there may be no optimum
        self.sizes = _sizes(sizes, self.m, self.seed)
        self.p = self._shares() if weights is None else checked_weights(weights, self.m)
        self.noise = checked_noise(noise)
        data = synthetic(self.alpha, self.beta, self.sizes, self.seed, self.features, self.classes)
        self.clients = [Softmax(c.X, c.y, self.classes) for c in data]

    def _shares(self) -> Array:
        return np.asarray(self.sizes / self.sizes.sum())

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """Mean cross entropy of each client at its own point, and the penalty."""
        return self._each(clients, y, Softmax.losses) + self.l2 / 2 * (y * y).sum(-1)

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """The gradient of the mean cross entropy of each client at its own point, and of the penalty."""
        return lambda y: self._each(clients, y, Softmax.gradients) + self.l2 * y

    def _each(
        self, clients: Clients, y: AnyArray, evaluate: Callable[[Softmax, AnyArray], AnyArray]
    ) -> AnyArray:
        """Evaluate each client once for all replicas in which it appears: (..., n) or (..., n, d)."""
        xp = array_namespace(y)
        points = xp.broadcast_to(y, (*y.shape[:-2], clients.shape[-1], self.d))
        flat, owners = points.reshape(-1, self.d), np.broadcast_to(clients, points.shape[:-1]).reshape(-1)
        order = np.argsort(owners, kind="stable")
        first = np.flatnonzero(np.diff(owners[order], prepend=-1))
        rows = np.split(order, first[1:])
        each = [
            evaluate(self.clients[i], flat[own]) for i, own in zip(owners[order[first]], rows, strict=True)
        ]
        out = xp.concat(each)[np.argsort(order)]
        return out.reshape(*points.shape[:-1], *out.shape[1:])

    @cached_property
    def _best(self) -> tuple[Array, float]:
        """x* and the norm of the gradient there."""
        return self._minimised(np.arange(self.m), self.p)

    def _minimised(self, clients: NDArray[np.intp], weights: Array) -> tuple[Array, float]:
        used = [(self.clients[i], p) for i, p in zip(clients, weights, strict=True) if p > 0]
        Z = np.concatenate([client.Z for client, _ in used])
        labels = np.concatenate([client.labels for client, _ in used])
        each = np.concatenate([np.full(len(client.Z), p / len(client.Z)) for client, p in used])
        return minimise(CrossEntropy(Z, labels, each, self.classes, self.l2))

    @property
    def optimum(self) -> Array | None:  # type: ignore[override]
        """x*, by Newton's method, computed on first use."""
        return self._best[0]

    @property
    def centre(self) -> Array:  # type: ignore[override]
        """x*."""
        return self._best[0]

    @cached_property
    def infimum(self) -> Constant:
        """F(x*)."""
        x, left = self._best
        how = f"Newton's method, to within {left**2 / (2 * self.l2):.1g}"
        return Constant(float(self.p @ self.losses(x)), "estimated", how)

    @cached_property
    def _minima(self) -> Array:
        own = [self._minimised(np.array([i]), np.ones(1))[0] for i in range(self.m)]
        return np.array([self.losses_at(np.array([i]), x[None])[0] for i, x in enumerate(own)])

    @property
    def minima(self) -> Array | None:
        """The smallest loss of every client, each by Newton's method, computed on first use."""
        return self._minima

    @property
    def homogeneous(self) -> bool:
        """Whether there is only one client: two never draw the same points."""
        return self.m == 1

    @cached_property
    def smoothness(self) -> float:
        """max_i lambda_max(Z_i'Z_i/n_i)/2 + l2."""
        return max(client.largest for client in self.clients) / 2 + self.l2

    def constants(self, x0: Array) -> dict[str, Constant]:
        """L and mu by formula on all of space; gap and distance from Newton's optimum."""
        return self.start_constants(x0) | {
            "L": Constant(self.smoothness, "exact", "an upper bound: max_i lambda_max(Z'Z/n)/2 + l2"),
            "mu": Constant(self.l2, "exact", "the penalty"),
        }

    def convexity(self) -> tuple[bool, str]:
        """Every client is convex."""
        return True, ""

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        given = dict(given)
        return cls(**{"weights": given.pop("p", None), "noise": noise, **given})

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem; sizes and weights only if not the drawn ones."""
        drawn = np.array_equal(self.sizes, synthetic_sizes(self.m, self.seed))
        return {
            "kind": self.kind,
            "alpha": self.alpha,
            "beta": self.beta,
            "clients": self.m,
            "seed": self.seed,
            "l2": self.l2,
            "features": self.features,
            "classes": self.classes,
            **({} if drawn else {"sizes": self.sizes.tolist()}),
            **({} if np.array_equal(self.p, self._shares()) else {"p": self.p.tolist()}),
        }


def _sizes(given: Any, m: int, seed: int) -> NDArray[np.intp]:
    if given is None:
        sizes = synthetic_sizes(m, seed)
    else:
        wanted = checked_array("sizes", given, (m,))
        if (wanted < 1).any() or (wanted % 1 != 0).any():
            raise BoundkitError("sizes must be whole numbers of at least 1, one a client.")
        sizes = np.minimum(wanted, 2.0 * _MOST_POINTS).astype(np.intp)
    if sizes.sum() > _MOST_POINTS:
        raise BoundkitError(f"at most {_MOST_POINTS} points in all can be drawn, but these are more.")
    return sizes


def _at_least_zero(name: str, value: Any) -> float:
    number = float(checked_array(name, value, ()))
    if number < 0:
        raise BoundkitError(f"{name} is a standard deviation and must be at least 0, but it is {number:g}.")
    no_larger(name, np.array([number]), _WIDEST)
    return number
