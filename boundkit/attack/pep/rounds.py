"""Rounds of FedAvg and FedNova on unknown losses, for all samples of participating clients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from boundkit.attack.pep.losses import Losses, Point, mixed, total
from boundkit.attack.pep.setting import Setting


@dataclass(frozen=True)
class Round:
    """One round from one model: ``models[i][k]`` is client i's model after k steps, k = 0, ..., tau_i."""

    start: Point
    models: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True)
class Run:
    """``rounds[t]``: the rounds number t, one for each sample of clients before it, equally likely.

    ``ends``: the models after the last round.
    """

    rounds: tuple[tuple[Round, ...], ...]
    ends: tuple[Point, ...]

    def starts(self) -> Iterator[Point]:
        """Every model at which a round starts."""
        for level in self.rounds:
            for one in level:
                yield one.start


def simulate_rounds(setting: Setting, losses: Losses, start: Point) -> Run:
    """Return all rounds from ``start``; sampling multiplies the number of models by that of the groups."""
    level, rounds = [start], []
    for _ in range(setting.rounds):
        now, following = [], []
        for x in level:
            models, updates = zip(
                *(_local_models(setting, losses, client, x) for client in range(setting.clients)), strict=True
            )
            now.append(Round(x, models))
            following += [
                x - setting.step * mixed([setting.server[i] for i in group], [updates[i] for i in group])
                for group in setting.groups
            ]
        rounds.append(tuple(now))
        level = following
    return Run(tuple(rounds), tuple(level))


def fixed_point_round(setting: Setting, losses: Losses, start: Point) -> Run:
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
    return Run(((Round(start, (*paths, tuple(path))),),), (start,))


def server_displacement(setting: Setting, losses: Losses, x: Point) -> Point:
    """Return the step of the server in a round of all clients."""
    updates = [_local_models(setting, losses, client, x)[1] for client in range(setting.clients)]
    return setting.step * mixed(setting.server, updates)


def _local_models(setting: Setting, losses: Losses, client: int, x: Point) -> tuple[tuple[Point, ...], Point]:
    """Return the local models of a client that starts at x, and the weighted sum of its gradients."""
    weights, gradient = setting.weights[client], losses.each[client].gradient
    models, gradients = [x], []
    for row in weights[1:]:
        gradients.append(gradient(models[-1]))
        models.append(x - setting.step * mixed(row[: len(gradients)], gradients))
    return tuple(models), mixed(weights[-1], gradients)


def virtual(setting: Setting, one: Round, k: int) -> Point:
    """Return the weighted mean of the clients' models after k steps of a round."""
    return mixed(setting.objective, [path[k] for path in one.models])


def mean(parts: list[Point]) -> Point:
    """The mean of points or of numbers."""
    return (1 / len(parts)) * total(parts)
