"""What a theorem claims, as a number of the program, which the solver makes as large as it can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from boundkit.algebra.vocabulary import (
    LAST_DISTANCE,
    LAST_LOSS_GAP,
    LAST_SQUARED_DISTANCE,
    LIMIT_DISTANCE,
    MEAN_LOSS_GAP,
    MEAN_SQUARED_GRADIENT,
    SURROGATE_GRADIENT,
    VIRTUAL_LOSS_GAP,
    VIRTUAL_SQUARED_GRADIENT,
)
from boundkit.attack.pep.losses import Losses, Number, Point
from boundkit.attack.pep.rounds import Run, mean, virtual
from boundkit.attack.pep.setting import Setting


@dataclass(frozen=True)
class Scene:
    """A run with its losses, and what it is measured from.

    ``optimum`` is a minimiser of the objective where the losses are convex, else None. ``lowest`` is the
    least value of the objective; where they are not convex, of the surrogate: theorems that distinguish
    the two start from the gap of the surrogate.
    """

    setting: Setting
    losses: Losses
    run: Run
    optimum: Point | None
    lowest: Number

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the clients' losses in what ``lowest`` is the least value of."""
        return self.setting.surrogate if self.optimum is None else self.setting.objective

    def gap(self, x: Point) -> Number:
        """The loss at x above its least."""
        return self.losses.value(self.weights, x) - self.lowest


def _mean_squared_gradient(scene: Scene) -> Number:
    return _over_starts(scene, lambda x: scene.losses.gradient(scene.setting.objective, x) ** 2)


def _surrogate_gradient(scene: Scene) -> Number:
    return _over_starts(scene, lambda x: scene.losses.gradient(scene.setting.surrogate, x) ** 2)


def _mean_loss_gap(scene: Scene) -> Number:
    return _over_starts(scene, scene.gap)


def _last_loss_gap(scene: Scene) -> Number:
    return mean([scene.gap(x) for x in scene.run.ends])


def _last_squared_distance(scene: Scene) -> Number:
    return mean([(x - scene.optimum) ** 2 for x in scene.run.ends])


def _virtual_loss_gap(scene: Scene) -> Number:
    return _over_virtual(scene, range(1, len(scene.setting.ways[0])), scene.gap)


def _virtual_squared_gradient(scene: Scene) -> Number:
    steps = range(len(scene.setting.ways[0]) - 1)
    return _over_virtual(scene, steps, lambda x: scene.losses.gradient(scene.setting.objective, x) ** 2)


def _over_starts(scene: Scene, observed: Callable[[Point], Number]) -> Number:
    """The mean over rounds and draws of what is observed where a round starts."""
    return mean([mean([observed(one.start) for one in level]) for level in scene.run.rounds])


def _over_virtual(scene: Scene, steps: range, observed: Callable[[Point], Number]) -> Number:
    """The mean over local steps, rounds and draws of what is observed at the clients' mean."""
    rounds = scene.run.rounds
    return mean(
        [mean([observed(virtual(scene.setting, one, k)) for one in level]) for level in rounds for k in steps]
    )


MEASURES: dict[str, Callable[[Scene], Number]] = {
    MEAN_SQUARED_GRADIENT.name: _mean_squared_gradient,
    SURROGATE_GRADIENT.name: _surrogate_gradient,
    VIRTUAL_SQUARED_GRADIENT.name: _virtual_squared_gradient,
    MEAN_LOSS_GAP.name: _mean_loss_gap,
    VIRTUAL_LOSS_GAP.name: _virtual_loss_gap,
    LAST_LOSS_GAP.name: _last_loss_gap,
    LAST_SQUARED_DISTANCE.name: _last_squared_distance,
    LAST_DISTANCE.name: _last_squared_distance,
    LIMIT_DISTANCE.name: _last_squared_distance,
}
"""How each claim is measured. A distance is measured by its square, and its root is taken at the end."""
