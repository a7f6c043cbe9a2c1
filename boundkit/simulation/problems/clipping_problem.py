"""Three one-dimensional worst-case losses for clipped minibatch SGD, and the problems of them.

Client i has the loss s_i F with scales s_i of mean 1, and equal weights, so that the mean loss is F.
(L_0, L_1)-smoothness holds wherever F'' exists; F' is continuous, and F'' jumps at the corners. They prove
``clipped_minibatch_sgd_relaxed_smooth_lower``: for every eta and clip one of the three is bad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asinh, cosh, log1p
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import AnyArray, Array, Clients, array_namespace, as_like
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Pointwise
from boundkit.simulation.validation import checked_noise, positive, whole

Function = Callable[[AnyArray], AnyArray]
"""A function of points of any shape."""


@dataclass(frozen=True)
class ClippingInstance:
    """Losses s_i F of one variable, a start, and F(x_0) - inf F.

    ``loss``, ``gradient`` and ``curvature`` are F, F' and F'' of points of any shape.
    """

    name: str
    scales: Array
    loss: Function
    gradient: Function
    curvature: Function
    start: float
    gap: float

    def client_gradients(self, x: Array) -> Array:
        """F_i'(x) for points of shape (...,); shape (..., m)."""
        return np.asarray(self.scales * self.gradient(np.asarray(x))[..., None])


def wrong_majority(m: int, L0: float, L1: float, grad_max: float, gap: float) -> ClippingInstance:
    """F_1 = (2 m - 1) F and F_i = -F for the rest: clipping makes the mean step follow the majority.

    F' is 0 for x <= 0, grows exponentially to grad_max, and is then constant. Raises BoundkitError for fewer
    than three clients, and for a gap that does not reach beyond the corner.
    """
    if m < 3:
        raise BoundkitError(f"m = {m} was given, but a majority against one needs at least 3 clients.")
    scales = np.full(m, -1.0)
    scales[0] = 2 * m - 1
    return ClippingInstance("wrong majority", scales, *_ramp(L0 / (2 * m - 1), L1, grad_max, gap))


def valley(m: int, L0: float, L1: float, grad_max: float) -> ClippingInstance:
    """F' = (L0/L1) sinh(L1 x) for all clients, from |F'| = grad_max: long steps overshoot in every round."""
    _check(L0, L1, grad_max)
    start = asinh(grad_max * L1 / L0) / L1
    return ClippingInstance(
        "valley",
        np.ones(m),
        lambda x: 2 * L0 / L1**2 * array_namespace(x).sinh(L1 * x / 2) ** 2,
        lambda x: L0 / L1 * array_namespace(x).sinh(L1 * x),
        lambda x: L0 * array_namespace(x).cosh(L1 * x),
        start,
        L0 / L1**2 * (cosh(L1 * start) - 1),
    )


def ramp(m: int, L0: float, L1: float, target: float, gap: float) -> ClippingInstance:
    """F' = 2 target beyond an exponential corner, for all clients: short steps need many rounds.

    Raises BoundkitError for a gap that does not reach beyond the corner.
    """
    return ClippingInstance("ramp", np.ones(m), *_ramp(L0, L1, 2 * target, gap))


def hard_instance(
    eta: float, clip: float, *, m: int, L0: float, L1: float, grad_max: float, target: float, gap: float
) -> ClippingInstance:
    """The instance on which the given step sizes are slow, as chosen in the proof."""
    width = asinh(grad_max * L1 / L0) / L1
    clipped = clip < grad_max * eta
    if clipped and clip < 2 * width:
        return wrong_majority(m, L0, L1, grad_max, gap)
    if clipped or eta * grad_max >= 2 * width:
        return valley(m, L0, L1, grad_max)
    return ramp(m, L0, L1, target, gap)


def _ramp(
    bend: float, L1: float, slope: float, gap: float
) -> tuple[Function, Function, Function, float, float]:
    """F' = 0, then (bend/L1) (exp(L1 x) - 1) up to ``slope``, then ``slope``; from where F is ``gap``."""
    _check(bend, L1, slope)
    end = log1p(slope * L1 / bend) / L1
    height = slope / L1 - bend * end / L1
    if gap < height:
        raise BoundkitError(
            f"gap = {gap:g} was given, but the corner alone is {height:g} high; a larger gap is needed."
        )

    def loss(x: AnyArray) -> AnyArray:
        t = x.clip(0, end)
        return bend / L1 * (array_namespace(x).expm1(L1 * t) / L1 - t) + slope * (x - end).clip(0)

    def gradient(x: AnyArray) -> AnyArray:
        return bend / L1 * array_namespace(x).expm1(L1 * x.clip(0, end))

    def curvature(x: AnyArray) -> AnyArray:
        return bend * array_namespace(x).exp(L1 * x.clip(0, end)) * ((x > 0) & (x < end))

    return loss, gradient, curvature, end + (gap - height) / slope, gap


def _check(L0: float, L1: float, slope: float) -> None:
    for name, value in (("L0", L0), ("L1", L1), ("the largest gradient", slope)):
        if not (np.isfinite(value) and value > 0):
            raise BoundkitError(f"{name} = {value:g} was given, but it must be above 0.")


_MAKERS = {
    "wrong_majority": (wrong_majority, ("grad_max", "gap")),
    "valley": (valley, ("grad_max",)),
    "ramp": (ramp, ("target", "gap")),
}
"""Each instance, and its parameters besides the clients, L0 and L1."""
_MOST_CLIENTS = 10**6


class ClippingProblem(Pointwise):
    """The instances of a lower bound on clipped algorithms, in one dimension.

    ``class_parameters`` are the numbers that define the class of problems, and ``start`` is the x_0 of the
    proof.

    Parameters
    ----------
    instance
        ``"wrong_majority"``, ``"valley"`` or ``"ramp"``.
    clients
        m, the number of clients.
    L0, L1
        The constants of (L0, L1)-smoothness, above 0.
    grad_max, target, gap
        The largest gradient, the target norm and the initial gap, as the instance requires; the others are
        accepted too, so that one set of parameters serves all three.
    noise
        sigma >= 0, the standard deviation of a gradient.

    Raises
    ------
    BoundkitError
        For an unknown instance, and for a number that is missing or outside its range.

    Examples
    --------
    >>> ClippingProblem("valley", clients=2, L0=1.0, L1=1.0, grad_max=8.0).optimum.tolist()
    [0.0]
    """

    kind = "clipping_instance"
    fields = (("instance", "clients", "L0", "L1"), ("grad_max", "target", "gap"))
    d = 1

    def __init__(
        self,
        instance: str,
        clients: int,
        L0: float,
        L1: float,
        grad_max: float | None = None,
        target: float | None = None,
        gap: float | None = None,
        noise: float = 0.0,
    ) -> None:
        if not isinstance(instance, str) or instance not in _MAKERS:
            raise unknown("clipping instance", str(instance)[:40], _MAKERS)
        make, needed = _MAKERS[instance]
        self.m, self.name = whole("clients", clients, 1, _MOST_CLIENTS), instance
        given = {"grad_max": grad_max, "target": target, "gap": gap}
        self.parameters = {"L0": positive("L0", L0), "L1": positive("L1", L1)}
        for name in needed:
            if given[name] is None:
                raise BoundkitError(f"the clipping instance {instance!r} needs {name!r}.")
            self.parameters[name] = positive(name, given[name])
        self.class_parameters = {n: positive(n, value) for n, value in given.items() if value is not None}
        self.p: Array = np.full(self.m, 1 / self.m)
        self.noise = checked_noise(noise)
        self.instance = make(self.m, *self.parameters.values())  # type: ignore[operator]
        self.start: Array = np.array([self.instance.start])
        self.centre: Array = np.zeros(1)
        self.optimum: Array | None = self.centre if instance == "valley" else None

    def losses_at(self, clients: Clients, y: AnyArray) -> AnyArray:
        """s_i F(y_i)."""
        return as_like(self.instance.scales[clients], y) * self.instance.loss(y[..., 0])

    def gradients(
        self, clients: Clients, like: AnyArray, own_axes: bool = False
    ) -> Callable[[AnyArray], AnyArray]:
        """s_i F'(y_i)."""
        scales = as_like(self.instance.scales[clients][..., None], like)
        return lambda y: scales * self.instance.gradient(y)

    def loss_gaps(self, x: AnyArray) -> AnyArray:
        """F(x), whose infimum is 0."""
        return self.instance.loss(x[..., 0])

    @property
    def infimum(self) -> Constant:
        """0."""
        return Constant(0.0, "exact", "F = 0 at 0")

    @property
    def minima(self) -> Array | None:
        """0 for every client; None for the wrong majority, whose -F are unbounded below."""
        return np.zeros(self.m) if (self.instance.scales > 0).all() else None

    @property
    def homogeneous(self) -> bool:
        """Whether clients are homogeneous: all instances but the wrong majority."""
        return bool(np.ptp(self.instance.scales) == 0)

    def constants(self, x0: Array) -> dict[str, Constant]:
        """L0, L1, grad_max, zeta = 0 and rho_zeta by formula; L on all of space but for the valley."""
        scale = float(np.abs(self.instance.scales).max())
        with np.errstate(over="ignore"):
            steepest = abs(float(self.instance.gradient(x0)[0]))
        bend, L1 = self.parameters["L0"], self.parameters["L1"]
        constants = self.start_constants(x0) | {
            "L0": Constant(bend, "exact", "of the clients, by construction"),
            "L1": Constant(L1, "exact", "of the clients, by construction"),
            "grad_max": Constant(steepest, "exact", "|F'(x_0)|: |F'| grows with F"),
            "zeta": Constant(0.0, "exact", "F_i' = s_i F'"),
            "rho_zeta": Constant(float(np.abs(self.instance.scales - 1).max()), "exact", "max |s_i - 1|"),
        }
        if self.name == "valley":
            L = bend + L1 * steepest
            constants["L"] = Constant(L, "local", "L0 + L1 |F'(x_0)|, at least F'' where F <= F(x_0)")
            constants["mu"] = Constant(bend, "exact", "cosh >= 1: L0")
        else:
            slope = (
                self.parameters["grad_max"]
                if self.name == "wrong_majority"
                else 2 * self.parameters["target"]
            )
            L = bend + L1 * scale * slope
            constants["L"] = Constant(L, "exact", "L0 + L1 times the largest gradient of a client")
        return constants

    def convexity(self) -> tuple[bool, str]:
        """Convex, except for the wrong majority."""
        if self.minima is None:
            return False, "all clients but one have the loss -F, and F is convex"
        return True, ""

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        return cls(**given, noise=noise)

    def to_json(self) -> dict[str, Any]:
        """The fields that reproduce this problem."""
        return {
            "kind": self.kind,
            "instance": self.name,
            "clients": self.m,
            **self.parameters,
            **self.class_parameters,
        }
