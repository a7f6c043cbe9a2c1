"""Unknown losses of the clients, and rounds of FedAvg and FedNova on them, for all samples of clients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from boundkit.algebra.extras import require
from boundkit.attack.pep.parameters import ProgramParameters

Point = Any
"""A point of PEPit: a combination of unknown vectors. PEPit carries no types."""

Number = Any
"""An expression of PEPit: linear in the unknown values and in the products of unknown vectors."""


def new_program() -> Any:
    """An empty program of PEPit. Raises BoundkitError where PEPit or its solver is not installed."""
    require("cvxpy")  # PEPit needs it only when it solves
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


@dataclass(frozen=True)
class PepRound:
    """One round from one model: ``models[i][k]`` is client i's model after k steps, k = 0, ..., tau_i."""

    start: Point
    models: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True)
class PepRun:
    """``rounds[t]``: the rounds number t, one for each sample of clients before it, equally likely.

    ``ends``: the models after the last round.
    """

    rounds: tuple[tuple[PepRound, ...], ...]
    ends: tuple[Point, ...]

    def starts(self) -> Iterator[Point]:
        """Every model at which a round starts."""
        for level in self.rounds:
            for one in level:
                yield one.start


def simulate_rounds(setting: ProgramParameters, losses: Losses, start: Point) -> PepRun:
    """Return all rounds from ``start``; sampling multiplies the number of models by that of the groups."""
    level, rounds = [start], []
    for _ in range(setting.rounds):
        now, following = [], []
        for x in level:
            models, updates = zip(
                *(_local_models(setting, losses, client, x) for client in range(setting.clients)), strict=True
            )
            now.append(PepRound(x, models))
            following += [
                x - setting.step * mixed([setting.server[i] for i in group], [updates[i] for i in group])
                for group in setting.groups
            ]
        rounds.append(tuple(now))
        level = following
    return PepRun(tuple(rounds), tuple(level))


def fixed_point_round(setting: ProgramParameters, losses: Losses, start: Point) -> PepRun:
    """Return one round of all clients that ends where it started; the last gradient is chosen for that.

    There must be two losses at least.
    """
    *others, last = range(setting.clients)
    paths, updates = zip(*(_local_models(setting, losses, client, start) for client in others), strict=True)
    weights, gradient = setting.weights[last], losses.each[last].gradient
    path, gradients = [start], []
    for row in weights[1:-1]:
        gradients.append(gradient(path[-1]))
        path.append(start - setting.step * mixed(row[: len(gradients)], gradients))
    factors = [setting.server[i] for i in others]
    factors += [setting.server[last] * weight for weight in weights[-1][: len(gradients)]]
    displacement = mixed(factors, [*updates, *gradients])
    closing = (-1 / (setting.server[last] * weights[-1][-1])) * displacement
    losses.prescribe_gradient(last, path[-1], closing)
    path.append(start - setting.step * mixed(weights[-1], [*gradients, closing]))
    return PepRun(((PepRound(start, (*paths, tuple(path))),),), (start,))


def server_displacement(setting: ProgramParameters, losses: Losses, x: Point) -> Point:
    """Return the step of the server in a round of all clients."""
    updates = [_local_models(setting, losses, client, x)[1] for client in range(setting.clients)]
    return setting.step * mixed(setting.server, updates)


def _local_models(
    setting: ProgramParameters, losses: Losses, client: int, x: Point
) -> tuple[tuple[Point, ...], Point]:
    """Return the local models of a client that starts at x, and the weighted sum of its gradients."""
    weights, gradient = setting.weights[client], losses.each[client].gradient
    models, gradients = [x], []
    for row in weights[1:]:
        gradients.append(gradient(models[-1]))
        models.append(x - setting.step * mixed(row[: len(gradients)], gradients))
    return tuple(models), mixed(weights[-1], gradients)


def virtual(setting: ProgramParameters, one: PepRound, k: int) -> Point:
    """Return the weighted mean of the clients' models after k steps of a round."""
    return mixed(setting.objective, [path[k] for path in one.models])


def mean(parts: list[Point]) -> Point:
    """The mean of points or of numbers."""
    return (1 / len(parts)) * total(parts)
