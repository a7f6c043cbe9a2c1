r"""Three one-dimensional worst-case losses for clipped minibatch SGD, with explicit constants.

Client i has the loss s_i F with scales s_i of mean 1, so that the mean loss is F. (L_0, L_1)-smoothness
holds wherever F'' exists; F' is continuous, and F'' jumps at the corners. They prove
``clipped_minibatch_sgd_relaxed_smooth_lower``: for every eta and clip one of the three is bad.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asinh, cosh, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems.base import module_of

Array = NDArray[np.float64]
Function = Callable[[Any], Any]
"""A function of points of any shape, numpy arrays or torch tensors."""


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
        lambda x: 2 * L0 / L1**2 * module_of(x).sinh(L1 * x / 2) ** 2,
        lambda x: L0 / L1 * module_of(x).sinh(L1 * x),
        lambda x: L0 * module_of(x).cosh(L1 * x),
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
            f"gap = {gap:g} was given, but the corner alone is {height:g} high; a longer way is needed."
        )

    def loss(x: Any) -> Any:
        t = x.clip(0, end)
        return bend / L1 * (module_of(x).expm1(L1 * t) / L1 - t) + slope * (x - end).clip(0)

    def gradient(x: Any) -> Any:
        return bend / L1 * module_of(x).expm1(L1 * x.clip(0, end))

    def curvature(x: Any) -> Any:
        return bend * module_of(x).exp(L1 * x.clip(0, end)) * ((x > 0) & (x < end))

    return loss, gradient, curvature, end + (gap - height) / slope, gap


def _check(L0: float, L1: float, slope: float) -> None:
    for name, value in (("L0", L0), ("L1", L1), ("the largest gradient", slope)):
        if not (np.isfinite(value) and value > 0):
            raise BoundkitError(f"{name} = {value:g} was given, but it must be above 0.")
