"""Problem interface: m clients with one loss each, weights p_i, and gradient noise."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.validation import checked_array, number

Points = tuple[AnyArray, AnyArray, AnyArray]
"""Points, labels and weights of mini-batches: (..., b, ...), (..., b) or (..., b, length), (..., b)."""
_FEW = 8
"""The number of coordinates of an optimum that are displayed."""
OBSERVABLES = ("loss", "loss_gap", "gradient_norm_squared", "distance_squared", "dissimilarity")
"""Observables of every server iterate: F, F - F_inf, ||grad F||^2, ||x - x*||^2, and
sum_i p_i ||grad F_i - grad F||^2."""


@dataclass(frozen=True)
class QuadraticForm:
    """u' Q u + 2 q' u + c in u = x - centre. Q is (d, d), or (d,) where it is diagonal."""

    Q: Array
    q: Array
    c: float

    def __call__(self, u: AnyArray) -> AnyArray:
        """The values at points u of shape (..., d)."""
        Q, q = as_like(self.Q, u), as_like(self.q, u)
        Qu = u * Q if Q.ndim == 1 else u @ Q
        return (u * (Qu + 2 * q)).sum(-1) + self.c

    def moved(self, shift: Array) -> QuadraticForm:
        """The same function as a form of v, where u = v + shift."""
        Qu = self.Q * shift if self.Q.ndim == 1 else self.Q @ shift
        return QuadraticForm(self.Q, self.q + Qu, float(self(shift)))


@dataclass(frozen=True)
class Batches:
    """Sampling of mini-batches of ``size`` points from the points of each client.

    ``shuffled``: over the client's data in an order redrawn for each pass, else every point with
    replacement. ``sizes`` and ``offsets``: number of points of each client, (m,), and index of its first.
    """

    size: int
    shuffled: bool
    sizes: NDArray[np.intp]
    offsets: NDArray[np.intp]

    @property
    def batches_per_pass(self) -> NDArray[np.intp]:
        """The number of mini-batches in one pass over the data of each client, (m,)."""
        return -(-self.sizes // self.size)


_RAREST = 1e-9
"""The least probability of a value of the noise."""


class Problem(ABC):
    """Losses F_i, their weighted mean F = sum p_i F_i, and their observables.

    ``noise`` is sigma: every stochastic gradient carries Gaussian noise of covariance sigma^2/d I; or,
    for ``bounded`` noise, noise that is uniform in the ball of radius sigma, with covariance
    sigma^2/(d + 2) I. With a probability ``jump`` above 0, every coordinate of the noise has two values, of
    mean 0 and variance sigma^2/d: the negative one with that probability.
    """

    kind: ClassVar[str]
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]]
    """Required and optional fields of the ``problem`` object of a RUN.json, besides its kind."""
    nullable: ClassVar[tuple[str, ...]] = ()
    """Fields that may be null as a whole."""
    m: int
    d: int
    p: Array
    noise: float
    bounded: bool = False
    jump: float = 0.0
    needs_torch: bool = False
    """Whether losses are computed by a torch module."""
    large: bool = False
    """Whether d is so large that the iterates of single replicas are not stored."""
    extra_observables: ClassVar[tuple[str, ...]] = ()
    """Observables besides OBSERVABLES."""
    optimum: Array | None
    centre: Array
    basis: Array | None = None
    parts: Array | None = None
    """For clients with parts of their data: grad f_ib - grad F_i of part b, (m, B, d), at every y."""

    def facts(self) -> dict[str, str]:
        """The main facts about the problem, in words."""
        weights = "equal" if self.equal_weights else f"from {self.p.min():.6g} to {self.p.max():.6g}"
        kind = " (bounded)" if self.bounded else f" (jumps of probability {self.jump:.6g})" * (self.jump > 0)
        facts = {"clients": str(self.m), "parameters": str(self.d), "weights": weights}
        facts["noise"] = f"{self.noise:.6g}{kind}"
        if self.optimum is not None and self.d <= _FEW:
            facts["optimum"] = f"({', '.join(f'{x:.6g}' for x in self.optimum)})"
        return facts

    def __repr__(self) -> str:
        return f"<{self.kind} problem: {'; '.join(f'{n} {value}' for n, value in self.facts().items())}>"

    def _repr_html_(self) -> str:
        from boundkit.report.html import heading, html_table

        rows = [[name, value] for name, value in self.facts().items()]
        return heading(f"{self.kind.replace('_', ' ')} problem") + html_table(["", ""], rows)

    @property
    def batches(self) -> Batches | None:
        """The sampling of mini-batches of a client's own data; None where there are none."""
        return None

    @property
    def data_bytes(self) -> int:
        """The size of the clients' data."""
        return 0

    def gather_points(self, index: Any, like: AnyArray, weights: Any = None) -> Points:
        """Points ``index``, (..., b), their labels and weights, 1/b by default, on the device of ``like``.

        Raises BoundkitError where clients have no points.
        """
        raise BoundkitError(f"the clients of a {self.kind} problem have no points to draw from.")

    def gradient_at(self, w: AnyArray) -> Callable[[Points], AnyArray]:
        """The gradient at the current w, (K, d), as a function of mini-batches from ``gather_points``.

        It may write into the same array at every call.
        """
        raise BoundkitError(f"the clients of a {self.kind} problem have no points to draw from.")

    def batch_gradient(self, w: AnyArray, index: Any, weights: Any = None) -> AnyArray:
        """The gradient on mini-batches: weights w, (K, d), points ``index``, (K, b), and their weights."""
        return self.gradient_at(w)(self.gather_points(index, w, weights))

    @property
    def stochastic(self) -> bool:
        """Whether stochastic gradients are random."""
        return bool(self.noise > 0 or self.parts is not None or self.batches is not None)

    def initial_point(self, given: Any) -> Array:
        """x_0 from the ``x0`` field of a RUN.json: d numbers; the origin by default."""
        return np.zeros(self.d) if given is None else checked_array("x0", given, (self.d,))

    def initial_point_json(self, x0: Array) -> Any:
        """The ``x0`` field that reproduces x_0."""
        return x0.tolist()

    def epochs(self, passes: Any) -> list[int]:
        """The local steps of each client for given numbers of passes over its data, (m,).

        Raises BoundkitError where clients have no data.
        """
        raise BoundkitError(f"epochs are not defined: the clients of a {self.kind} problem have no data.")

    @abstractmethod
    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """grad F_i for clients of shape (n,) or (R, n): a function of y, (R, n, d) to (R, n, d).

        ``own_axes``: y and the gradient are in each client's own axes, Q_i' y with Q_i = basis[i], where
        gradients are cheap; without effect where the problem has no ``basis``.
        """

    def proximal(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray, float], AnyArray]:
        """The exact minimisers of F_i(y) + mu/2 ||y - x||^2: a function of x, (R, n, d), and mu.

        Raises BoundkitError where the problem has no formula for them.
        """

        def refused(x: AnyArray, mu: float) -> AnyArray:
            raise BoundkitError(f"exact proximal minimisers need a quadratic problem, not {self.kind}.")

        return refused

    @abstractmethod
    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """Every one of OBSERVABLES at server iterates x of shape (R, d), each of shape (R,).

        An observable that the problem does not have (the distance without a known optimum) is left out.
        """

    @abstractmethod
    def losses(self, x: AnyArray) -> AnyArray:
        """F_i of every client at x of shape (..., d): shape (..., m)."""

    @abstractmethod
    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """F_i(y_i) for clients of shape (n,) or (R, n), each at its own y, (R, n, d): shape (R, n)."""

    @property
    @abstractmethod
    def minima(self) -> Array | None:
        """inf F_i of every client, (m,); None where some loss is unbounded below, or it is unknown."""

    @property
    @abstractmethod
    def homogeneous(self) -> bool:
        """Whether all clients have the same loss, up to rounding (and up to a constant)."""

    @property
    def heterogeneity(self) -> Constant | None:
        """Gamma = inf F - sum p_i inf F_i; None where one of them is unknown."""
        return None

    @abstractmethod
    def constants(self, x0: Array) -> dict[str, Constant]:
        """The constants that hold on all of space, by their symbols."""

    @abstractmethod
    def convexity(self) -> tuple[bool, str]:
        """Whether every client's loss is convex, and the reason."""

    @classmethod
    @abstractmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        """The problem with the given ``fields`` and noise."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The ``problem`` field of a RUN.json."""

    def client_gradients(self, x: AnyArray) -> AnyArray:
        """grad F_i of every client at x of shape (..., d): shape (..., m, d)."""
        points = x.reshape(-1, 1, self.d)
        y = array_namespace(x).broadcast_to(points, (len(points), self.m, self.d))
        return self.gradients(np.arange(self.m), y)(y).reshape(*x.shape[:-1], self.m, self.d)

    def without_noise(self) -> Self:
        """The same problem without noise."""
        same = copy.copy(self)
        same.noise = 0.0
        return same

    def with_bounded_noise(self) -> Self:
        """The same problem with noise bounded by sigma."""
        same = copy.copy(self)
        same.bounded, same.jump = True, 0.0
        return same

    def with_jumps(self, probability: float) -> Self:
        """The same problem with noise of two values in each coordinate, the negative one of that probability.

        Steps then move uphill by a little, and downhill by much where the probability is small. Raises
        BoundkitError for a probability below 1e-9 or above 1 - 1e-9.
        """
        same = copy.copy(self)
        same.bounded, same.jump = False, number("jump", probability, _RAREST, 1 - _RAREST)
        return same

    @property
    def deviation(self) -> float:
        """The standard deviation of one coordinate of the noise: sigma/sqrt(d), or sigma/sqrt(d + 2)."""
        return float(self.noise / (self.d + 2 * self.bounded) ** 0.5)

    def with_normal_noise(self) -> Self:
        """The same problem with Gaussian noise of the same covariance."""
        same = copy.copy(self)
        same.noise, same.bounded, same.jump = self.deviation * self.d**0.5, False, 0.0
        return same if self.bounded or self.jump else self

    @property
    def noise_json(self) -> float | dict[str, float]:
        """The ``noise`` field of a RUN.json."""
        if self.jump and self.noise:
            return {"sigma": self.noise, "jump": self.jump}
        return {"bound": self.noise} if self.bounded else self.noise

    def reweighted(self, weights: Array) -> Self:
        """The same clients with another mean, sum_i w_i F_i.

        Raises BoundkitError where the family has no weights, or does not contain that mean.
        """
        if "p" not in self.fields[1]:
            raise BoundkitError(f"the clients of a {self.kind} problem have fixed weights.")
        given = {name: value for name, value in self.to_json().items() if name != "kind"}
        same = type(self).from_fields(given | {"p": np.asarray(weights).tolist()}, self.noise)
        same.bounded, same.jump = self.bounded, self.jump
        return same

    @property
    def equal_weights(self) -> bool:
        """Whether F is the plain mean of the clients' losses."""
        return bool(np.ptp(self.p) <= 1e-12)


_REFUSED = "this problem has observables only; it cannot be run."


class ObservedProblem(Problem):
    """Additional observables of a run's iterates, in the form of a problem that cannot be run.

    Methods for losses of its own raise errors.
    """

    kind = "observed"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.m, self.d, self.p = problem.m, problem.d, problem.p
        self.noise, self.optimum, self.centre = 0.0, problem.optimum, problem.centre

    @abstractmethod
    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """Numbers (R,) at server iterates x, (R, d), by name."""

    @property
    def minima(self) -> Array | None:
        """None: there are no losses."""
        return None

    @property
    def homogeneous(self) -> bool:
        """Whether the clients of the problem are homogeneous."""
        return self.problem.homogeneous

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        raise BoundkitError(_REFUSED)

    def losses(self, x: AnyArray) -> AnyArray:
        raise BoundkitError(_REFUSED)

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        raise BoundkitError(_REFUSED)

    def constants(self, x0: Array) -> dict[str, Constant]:
        raise BoundkitError(_REFUSED)

    def convexity(self) -> tuple[bool, str]:
        raise BoundkitError(_REFUSED)

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        raise BoundkitError(_REFUSED)

    def to_json(self) -> dict[str, Any]:
        raise BoundkitError(_REFUSED)


class Pointwise(Problem):
    """Losses and gradients of clients, each at its own point y_i; y is (..., n, d), with any leading axes."""

    @property
    @abstractmethod
    def infimum(self) -> Constant | None:
        """inf F; None where F is unbounded below."""

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """F(x) - inf F at x of shape (..., d), where there is an infimum."""
        assert self.infimum is not None
        return self.losses(x) @ as_like(self.p, x) - self.infimum.value

    def losses(self, x: AnyArray) -> AnyArray:
        """F_i of every client at one point."""
        return self.losses_at(np.arange(self.m), x[..., None, :])

    def observe(self, x: AnyArray) -> dict[str, AnyArray]:
        """Each observable from the losses and gradients of all clients at x."""
        p = as_like(self.p, x)
        gradients = self.client_gradients(x)
        mean = (p[:, None] * gradients).sum(-2)
        deviations = ((gradients - mean[..., None, :]) ** 2).sum(-1)
        observables = {
            "loss": self.losses(x) @ p,
            "gradient_norm_squared": (mean**2).sum(-1),
            "dissimilarity": deviations @ p,
        }
        if self.infimum is not None:
            observables["loss_gap"] = self.loss_gaps(x)
        if self.optimum is not None:
            observables["distance_squared"] = ((x - as_like(self.optimum, x)) ** 2).sum(-1)
        return observables

    @property
    def heterogeneity(self) -> Constant | None:
        """Gamma = inf F - sum p_i inf F_i, where both are known."""
        if self.infimum is None or self.minima is None:
            return None
        value = max(self.infimum.value - float(self.p @ self.minima), 0.0)
        return Constant(value, self.infimum.trust, f"inf F - sum p_i inf F_i; {self.infimum.how}")

    def start_constants(self, x0: Array) -> dict[str, Constant]:
        """sigma, and the initial gap and distance, where there are an infimum and an optimum.

        Raises BoundkitError for a start so far away that the losses overflow.
        """
        constants = {"sigma": Constant(self.noise, "exact", "the given noise")}
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(self.losses(x0)).all():
                raise BoundkitError("the losses at x0 are not finite; start nearer.")
            if self.infimum is not None:
                gap = max(float(self.loss_gaps(x0)), 0.0)
                constants["gap"] = Constant(gap, self.infimum.trust, f"F(x_0) - inf F; {self.infimum.how}")
            if self.optimum is not None and self.infimum is not None:
                distance = float(np.linalg.norm(x0 - self.optimum))
                constants["distance"] = Constant(distance, self.infimum.trust, "||x_0 - x*||")
        return constants


class Centred(Pointwise):
    """Convex losses with the minimum 0 at their own centres e_i, (m, d); ``centre`` is x*."""

    e: Array
    infimum_reason: ClassVar[str]

    @property
    def infimum(self) -> Constant:
        """sum p_i F_i(x*)."""
        return Constant(float(self.p @ self.losses(self.centre)), "exact", self.infimum_reason)

    @property
    def minima(self) -> Array | None:
        """0 for every client, at e_i."""
        return np.zeros(self.m)

    def convexity(self) -> tuple[bool, str]:
        """Every client is convex."""
        return True, ""
