r"""Neural-network problems on the data of m clients.

F_i(w) = mean over the client's points of loss(w; point) + l2/2 ||w||^2, F = sum p_i F_i, p_i = n_i/n by
default.

A stochastic gradient is that of a mini-batch of the client's own points: ``independent`` samples every point
with replacement, which is what theorems assume, so that sigma_i^2 is the mean of the points'
||g - grad F_i||^2, divided by the batch size; ``shuffled`` passes over the data in an order redrawn for
each pass, as training code does, and the last batch of a pass may be smaller. Without a batch every
gradient is exact.

Few constants have a closed form: a cross entropy is at least 0, so F(x_0) - inf F is at most F(x_0);
without hidden layers there are L and mu, and an optimum that is computed on request. All other constants are
estimated along a run.
"""

from __future__ import annotations

import copy
import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import (
    AnyArray,
    Array,
    array_namespace,
    as_like,
    device,
    is_torch_array,
    on_gpu,
    to_device,
)
from boundkit.simulation.constant import Constant
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.networks import ARCHITECTURES, Architecture, TorchModule, architecture
from boundkit.simulation.networks.base import empty
from boundkit.simulation.problems.base import Batches, Points, Problem
from boundkit.simulation.problems.federated_data import (
    Federation,
    concatenate_clients,
    fit_points,
    pair,
    read_data,
    written_data,
)
from boundkit.simulation.problems.softmax_regression import constants_of, is_linear, optimum_of
from boundkit.simulation.validation import checked_array, checked_noise, checked_weights, whole

ORDERS = ("independent", "shuffled")
_POINTS, _POINTS_ON_GPU = 2**12, 2**18
"""Most points, including padding, that are evaluated at once."""


class Network(Problem):
    """A neural network trained on the data of m clients.

    Parameters
    ----------
    clients
        A pair (X, y) of points (n_i, ...) and labels (n_i,) for each client, or torch TensorDatasets.
    model
        The kind of a network, such as ``"softmax"``, an object with its ``kind`` and fields, an Architecture,
        or a torch module.
    loss
        Of a torch module: a function of its output on one point and the label; cross entropy by default.
    test
        A pair (X, y) of held-out points.
    batch, order
        Points of a mini-batch, and their sampling, ``"independent"`` or ``"shuffled"``; exact gradients by
        default.
    l2
        The penalty l2/2 ||w||^2.
    weights
        p_i >= 0 with sum 1, (m,); in proportion to the clients' points by default.
    noise
        sigma >= 0: each gradient has noise of covariance sigma^2/d I.
    classes
        The number of classes; that of the labels by default.

    Raises
    ------
    BoundkitError
        For data that do not fit together, or numbers outside their range.

    Examples
    --------
    >>> problem = Network([([[0.0], [1.0]], [0, 1]), ([[2.0]], [1])], "softmax")
    >>> problem.m, problem.d
    (2, 4)
    """

    kind = "network"
    fields = (
        ("data", "model"),
        ("partition", "batch", "order", "l2", "p"),
    )
    large = True
    extra_observables = ("accuracy", "loss_spread", "worst_accuracy", "test_loss", "test_accuracy")

    def __init__(
        self,
        clients: Sequence[Any] | Federation,
        model: Any,
        *,
        loss: Callable[..., Any] | None = None,
        test: tuple[Any, Any] | None = None,
        batch: int | None = None,
        order: str = "independent",
        l2: float = 0.0,
        weights: Any = None,
        noise: float = 0.0,
        classes: int | None = None,
    ) -> None:
        self.federation = clients if isinstance(clients, Federation) else concatenate_clients(clients)
        self.m = self.federation.m
        count = self.federation.largest_label + 1 if classes is None else classes
        self.architecture = _architecture(model, loss, self.federation, count)
        self.d = self.architecture.d
        self.test = fit_points(self.architecture, self.federation, None if test is None else pair(*test))
        self._test = None if self.test is None else Federation(*self.test, [np.arange(len(self.test[0]))])
        self.batch = None if batch is None else whole("batch", batch, 1)
        if not isinstance(order, str) or order not in ORDERS:
            raise unknown("order of mini-batches", reprlib.repr(order), ORDERS)
        self.order = order
        self.l2 = float(checked_array("l2", l2, ()))
        if self.l2 < 0:
            raise BoundkitError(
                f"l2 is the weight of a penalty and must be at least 0, but it is {self.l2:g}."
            )
        self.p = self._weights(weights)
        self.noise = checked_noise(noise)
        if self.noise and self.batch is not None:
            raise BoundkitError(
                "the noise of a network is that of its mini-batches: leave noise 0, or leave batch out."
            )
        self.centre = np.zeros(self.d)
        self.lean = False
        self.needs_torch = isinstance(self.architecture, TorchModule)
        self.optimum: Array | None = None
        self.extra_constants: dict[str, Constant] = {}
        self._written: dict[str, Any] | None = None
        self._starts: dict[int, Array] = {}

    def _weights(self, given: Any) -> Array:
        """p: n_i/n by default; "uniform" is 1/m."""
        if isinstance(given, str) and given == "uniform":
            return np.full(self.m, 1 / self.m)
        return self.federation.shares if given is None else checked_weights(given, self.m)

    @property
    def batches(self) -> Batches | None:
        """The sampling of mini-batches; None where gradients are exact."""
        if self.batch is None:
            return None
        return Batches(self.batch, self.order == "shuffled", self.federation.sizes, self.federation.offsets)

    def gradients(
        self, clients: NDArray[np.intp], like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """grad F_i over all points of each client, in blocks of clients of similar size."""

        def gradient(y: AnyArray) -> AnyArray:
            R, n, d = y.shape
            owners = np.broadcast_to(clients, (R, n)).reshape(-1)
            w, result = y.reshape(-1, d), empty((R * n, d), y)
            for some in self.federation.blocks(owners, _at_once(y)):
                index, weights = self.federation.padded(owners[some])
                result[some] = self.batch_gradient(w[some], index, weights)
            return result.reshape(R, n, d)

        return gradient

    @property
    def data_bytes(self) -> int:
        """The size of the points and their labels."""
        return int(self.federation.X.nbytes + self.federation.y.nbytes)

    def gather_points(self, index: Any, like: AnyArray, weights: Any = None) -> Points:
        """Points ``index``, (..., b), their labels and weights, 1/b by default, on the device of ``like``."""
        xp, (X, labels) = array_namespace(like), self.federation.tensors(like)
        at = xp.asarray(index, device=device(like))
        share = as_like(1 / at.shape[-1] if weights is None else weights, like)
        points, targets = (
            xp.take(values, at.reshape(-1), axis=0).reshape(*at.shape, *values.shape[1:])
            for values in (X, labels)
        )
        return points, targets, xp.broadcast_to(share, at.shape)

    def gradient_at(self, w: AnyArray) -> Callable[[Points], AnyArray]:
        """sum_j weights_j grad loss_j + l2 w at w, (K, d), on mini-batches from ``gather_points``."""
        gradient = self.architecture.gradient_at(w)

        def at(points: Points) -> AnyArray:
            return self._penalised(gradient(*points), w)

        return at

    def batch_gradient(self, w: AnyArray, index: Any, weights: Any = None) -> AnyArray:
        """The same in one call: on points ``index``, (K, b), with weights 1/b by default."""
        return self._penalised(self.architecture.gradients(w, *self.gather_points(index, w, weights)), w)

    def _penalised(self, gradient: AnyArray, w: AnyArray) -> AnyArray:
        if self.l2:
            gradient += self.l2 * w
        return gradient

    def losses(self, x: AnyArray) -> AnyArray:
        """F_i of every client at one point: (..., d) to (..., m)."""
        of_points = self._of_points(x.reshape(-1, self.d), self.architecture.point_losses)
        return self._penalty(self._means(of_points).reshape(*x.shape[:-1], self.m), x)

    def _penalty(self, losses: AnyArray, w: AnyArray) -> AnyArray:
        """Losses (..., m) with l2/2 ||w||^2."""
        return losses + self.l2 / 2 * (w * w).sum(-1)[..., None]

    def losses_at(self, clients: NDArray[np.intp], y: AnyArray) -> AnyArray:
        """F_i(y_i) over all points of each client."""
        R, n, d = y.shape
        owners = np.broadcast_to(clients, (R, n)).reshape(-1)
        w, result = y.reshape(-1, d), empty((R * n,), y)
        for some in self.federation.blocks(owners, _at_once(y)):
            index, weights = self.federation.padded(owners[some])
            points, labels, share = self.gather_points(index, y, weights)
            result[some] = (self.architecture.point_losses(w[some], points, labels) * share).sum(-1)
        return result.reshape(R, n) + self.l2 / 2 * (y * y).sum(-1)

    def observe(self, x: Any) -> dict[str, Any]:
        """Losses and accuracies over clients and test points at x, (R, d); gradients too unless ``lean``.

        ``loss_spread``: sqrt(sum p_i (F_i - F)^2), a measure of unfairness. ``worst_accuracy``: the smallest
        accuracy of a client.
        """
        xp, w = array_namespace(x), x.reshape(-1, self.d)
        p = as_like(self.p, w)
        evaluate = self.architecture.outcomes if self.classifies else self.architecture.point_losses
        of_points = self._of_points(w, evaluate).reshape(-1, len(w), len(self.federation.X))
        each = self._penalty(self._means(of_points[0]), w)
        mean = each @ p
        observables = {"loss": mean, "loss_spread": xp.sqrt((each - mean[:, None]) ** 2 @ p)}
        if self.classifies:
            right = self._means(of_points[1])
            observables |= {"accuracy": right @ p, "worst_accuracy": xp.min(right, axis=-1)}
        if self._test is not None:
            of_test = self._of_points(w, evaluate, test=True).mean(-1).reshape(-1, len(w))
            observables |= dict(zip(("test_loss", "test_accuracy"), of_test, strict=False))
        if self.optimum is not None:
            best = as_like(self.optimum, w)
            observables["loss_gap"] = mean - p @ self.losses(best)
            observables["distance_squared"] = ((w - best) ** 2).sum(-1)
        if not self.lean:
            clients_of_all, moment, gradient = np.arange(self.m), xp.zeros_like(mean), xp.zeros_like(w)
            for r in range(len(w)):  # one replica at a time, to store only (m, d) numbers
                own = self.gradients(clients_of_all, w)(xp.broadcast_to(w[r], (1, self.m, self.d)))[0]
                gradient[r] = p @ own
                moment[r] = p @ ((own - gradient[r]) ** 2).sum(-1)
            observables |= {"gradient_norm_squared": (gradient**2).sum(-1), "dissimilarity": moment}
        return {n: v.reshape(x.shape[:-1]) for n, v in observables.items()}

    def _of_points(self, w: AnyArray, evaluate: Callable[..., AnyArray], test: bool = False) -> AnyArray:
        """Evaluate one or several quantities for every point at weights (P, d): (..., P, N)."""
        xp = array_namespace(w)
        X, labels = (self._test if test and self._test is not None else self.federation).tensors(w)
        size = max(1, _at_once(w) // max(len(w), 1))
        parts = []
        for at in range(0, len(X), size):
            some = slice(at, at + size)
            points = (xp.broadcast_to(v[some], (len(w), *v[some].shape)) for v in (X, labels))
            parts.append(evaluate(w, *points))
        return xp.concat(parts, axis=-1)

    def _means(self, of_points: AnyArray) -> AnyArray:
        """The mean over the points of each client, (P, N) to (P, m)."""
        total: AnyArray
        if is_torch_array(of_points):  # the standard has no sum over segments
            owner = to_device(self.federation.owner, of_points)
            total = of_points.new_zeros(len(of_points), self.m).index_add_(1, owner, of_points)
        else:
            total = np.add.reduceat(of_points, self.federation.offsets[:-1], axis=1)
        return total / as_like(self.federation.sizes, of_points)

    def with_optimum(self) -> Self:
        """The same problem with its optimum, computed now. Raises BoundkitError where that is impossible."""
        same = copy.copy(self)
        same.optimum = optimum_of(self)
        return same

    def with_constants(self, constants: Mapping[str, Constant]) -> Self:
        """The same problem with additional constants, such as estimates."""
        same = copy.copy(self)
        same.extra_constants = {**self.extra_constants, **constants}
        return same

    def without_noise(self) -> Self:
        """The same problem with exact gradients."""
        same = super().without_noise()
        same.batch = None
        return same

    def reweighted(self, weights: Array) -> Self:
        """The same clients with another mean, sum_i w_i F_i, without known constants."""
        same = copy.copy(self)
        same.p, same.optimum, same.extra_constants = checked_weights(weights, self.m), None, {}
        return same

    def leaner(self) -> Self:
        """The same problem with losses and accuracies as its only observables."""
        same = copy.copy(self)
        same.lean = True
        return same

    @property
    def minima(self) -> Array | None:
        """Unknown."""
        return None

    @property
    def homogeneous(self) -> bool:
        """Whether there is only one client."""
        return self.m == 1

    def constants(self, x0: Array) -> dict[str, Constant]:
        """An upper bound on the initial gap; sigma where gradients are exact or carry added noise."""
        loss = float(self.p @ self.losses(np.asarray(x0, dtype=np.float64)))
        if not np.isfinite(loss):
            raise BoundkitError("the losses at x0 are not finite; start nearer.")
        constants = {"gap": Constant(loss, "exact", "F(x_0), an upper bound: a cross entropy is at least 0")}
        if getattr(self.architecture, "loss", None) is not None:  # a user's loss: nothing is known about it
            reason = "F(x_0), an upper bound if the loss is never below 0"
            constants["gap"] = Constant(max(loss, 0.0), "estimated", reason)
        if self.batch is None:
            constants["sigma"] = Constant(self.noise, "exact", "the given noise")
        if is_linear(self):
            constants |= constants_of(self)
        if self.optimum is not None:
            least = loss - float(self.p @ self.losses(self.optimum))
            constants["gap"] = Constant(least, "estimated", "F(x_0) - F(x*), x* by Newton's method")
            distance = float(np.linalg.norm(np.asarray(x0) - self.optimum))
            constants["distance"] = Constant(distance, "estimated", "||x_0 - x*||, x* by Newton's method")
        return constants | self.extra_constants

    def convexity(self) -> tuple[bool, str]:
        """Convex without a hidden layer."""
        if is_linear(self):
            return True, ""
        return False, "the loss of a network with hidden layers is not convex"

    @property
    def classifies(self) -> bool:
        """Whether labels are classes, so that accuracy is defined."""
        return self.federation.y.dtype.kind == "i"

    def initial_point(self, given: Any) -> Array:
        """Initial weights: {"seed": s}, or numbers; by default those of a given module, else of seed 0."""
        if given is None and isinstance(self.architecture, TorchModule):
            return self.architecture.own
        if given is not None and not isinstance(given, Mapping):
            return checked_array("x0", given, (self.d,))
        fields = {"seed": 0} if given is None else checked_fields("x0", given, ("seed",), ())
        seed = whole("seed", fields["seed"], 0)
        if seed not in self._starts:
            self._starts[seed] = self.architecture.start(seed)
        return self._starts[seed]

    def initial_point_json(self, x0: Array) -> Any:
        """The seed that gives these weights, if they were initialised from one."""
        if isinstance(self.architecture, TorchModule) and np.array_equal(self.architecture.own, x0):
            return "the module's own"
        for seed, start in self._starts.items():
            if np.array_equal(start, x0):
                return {"seed": seed}
        return x0.tolist()

    def epochs(self, passes: Any) -> list[int]:
        """The steps of each client for ``passes`` passes over its data: ceil(E ceil(n_i/batch))."""
        sizes = self.federation.sizes
        return [int(np.ceil(E * -(-n // (self.batch or n)))) for n, E in zip(sizes, passes, strict=True)]

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        given = dict(given)
        data = read_data(given.pop("data"), given.pop("partition", None))
        model = architecture(given.pop("model"), data.inputs, data.classes)
        weights = given.pop("p", None)
        made = cls(data.federation, model, test=data.test, weights=weights, noise=noise, **given)
        made._written = data.written
        return made

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem; for large data in memory, only their number of points."""
        return {
            "kind": self.kind,
            **(self._written or {"data": written_data(self.federation)}),
            "model": self._model_json(),
            **({} if self.batch is None else {"batch": self.batch}),
            **({} if self.order == "independent" else {"order": self.order}),
            **({} if self.l2 == 0 else {"l2": self.l2}),
            **({} if np.array_equal(self.p, self.federation.shares) else {"p": self._weights_json()}),
        }

    def _weights_json(self) -> Any:
        return "uniform" if np.array_equal(self.p, np.full(self.m, 1 / self.m)) else self.p.tolist()

    def _model_json(self) -> dict[str, Any]:
        if self.architecture.kind in ARCHITECTURES:
            return self.architecture.to_json()
        return {"kind": self.architecture.kind}  # a user's module: not representable in a file


def _at_once(like: AnyArray) -> int:
    return _POINTS_ON_GPU if on_gpu(like) else _POINTS


def _architecture(
    model: Any, loss: Callable[..., Any] | None, federation: Federation, classes: int
) -> Architecture:
    if isinstance(model, Architecture):
        return model
    if isinstance(model, (str, Mapping)):
        return architecture(model, federation.X.shape[1:], classes)
    return TorchModule(model, loss)
