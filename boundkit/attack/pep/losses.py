"""The clients' losses as unknown functions of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boundkit.algebra.extras import require

Point = Any
"""A point of PEPit: a combination of unknown vectors. PEPit carries no types."""

Number = Any
"""An expression of PEPit: linear in the unknown values and in the products of unknown vectors."""


def new_program() -> Any:
    """An empty program of PEPit. Raises BoundkitError where PEPit or its solver is not installed."""
    require("cvxpy")  # PEPit asks for it only when it solves
    require("PEPit")
    from PEPit import PEP

    return PEP()


def new_number() -> Number:
    """Return an unknown number."""
    from PEPit import Expression

    return Expression(is_leaf=True)


def total(parts: Sequence[Any]) -> Any:
    """Sum points or numbers, since PEPit's sum does not start from 0."""
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def mixed(weights: Sequence[float], parts: Sequence[Any]) -> Any:
    """Return sum_k weights[k] parts[k] without parts of weight 0; at least one weight must differ from 0."""
    return total([float(w) * part for w, part in zip(weights, parts, strict=True) if w])


class Losses:
    """The losses of all clients: L-smooth, and mu-strongly convex, convex (mu = 0) or neither (None)."""

    def __init__(self, program: Any, clients: int, L: float, mu: float | None) -> None:
        from PEPit.functions import SmoothConvexFunction, SmoothFunction, SmoothStronglyConvexFunction

        if mu is None:
            self.each = [program.declare_function(SmoothFunction, L=L) for _ in range(clients)]
        elif mu == 0:
            self.each = [program.declare_function(SmoothConvexFunction, L=L) for _ in range(clients)]
        else:
            self.each = [
                program.declare_function(SmoothStronglyConvexFunction, mu=mu, L=L) for _ in range(clients)
            ]

    def gradients(self, x: Point) -> list[Point]:
        """Every client's gradient at x."""
        return [loss.gradient(x) for loss in self.each]

    def gradient(self, weights: Sequence[float], x: Point) -> Point:
        """The gradient of the weighted sum at x."""
        return mixed(weights, self.gradients(x))

    def value(self, weights: Sequence[float], x: Point) -> Number:
        """The value of the weighted sum at x."""
        return mixed(weights, [loss.value(x) for loss in self.each])

    def evaluated_points(self) -> list[Point]:
        """Return the points at which every client's gradient is evaluated so far."""
        first, *others = ([x for x, *_ in loss.list_of_points] for loss in self.each)
        return [x for x in first if all(any(_same(x, y) for y in points) for points in others)]

    def optimum(self, weights: Sequence[float]) -> Point:
        """Return a point at which the gradient of the weighted sum is 0."""
        return mixed(weights, self.each).stationary_point()

    def prescribe_gradient(self, client: int, x: Point, gradient: Point) -> None:
        """Prescribe a client's gradient at x."""
        self.each[client].add_point((x, gradient, new_number()))

    def conditions(self) -> int:
        """Return the number of interpolation inequalities: one for each pair of points of a loss."""
        return sum(len(loss.list_of_points) * (len(loss.list_of_points) - 1) for loss in self.each)


def _same(x: Point, y: Point) -> bool:
    """Check whether two points are the same combination of unknown vectors; == of PEPit compares objects."""
    return bool(x.decomposition_dict == y.decomposition_dict)
