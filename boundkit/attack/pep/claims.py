"""Claims as expressions of the program, which the solver maximises."""

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
from boundkit.attack.pep.parameters import ProgramParameters
from boundkit.attack.pep.rounds import Losses, Number, PepRun, Point, mean, virtual


@dataclass(frozen=True)
class PepContext:
    """A run with its losses and its reference values.

    ``optimum`` is a minimiser of the objective where the losses are convex, else None. ``lowest`` is the
    infimum of the objective; of the surrogate where they are not convex: theorems that distinguish the two
    start from the gap of the surrogate.
    """

    setting: ProgramParameters
    losses: Losses
    run: PepRun
    optimum: Point | None
    lowest: Number

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the losses in the function of which ``lowest`` is the infimum."""
        return self.setting.surrogate if self.optimum is None else self.setting.objective

    def gap(self, x: Point) -> Number:
        """Return the loss at x minus its infimum."""
        return self.losses.value(self.weights, x) - self.lowest


def _mean_squared_gradient(context: PepContext) -> Number:
    return _over_starts(context, lambda x: context.losses.gradient(context.setting.objective, x) ** 2)


def _surrogate_gradient(context: PepContext) -> Number:
    return _over_starts(context, lambda x: context.losses.gradient(context.setting.surrogate, x) ** 2)


def _mean_loss_gap(context: PepContext) -> Number:
    return _over_starts(context, context.gap)


def _last_loss_gap(context: PepContext) -> Number:
    return mean([context.gap(x) for x in context.run.ends])


def _last_squared_distance(context: PepContext) -> Number:
    return mean([(x - context.optimum) ** 2 for x in context.run.ends])


def _virtual_loss_gap(context: PepContext) -> Number:
    return _over_virtual(context, range(1, len(context.setting.weights[0])), context.gap)


def _virtual_squared_gradient(context: PepContext) -> Number:
    steps = range(len(context.setting.weights[0]) - 1)
    return _over_virtual(context, steps, lambda x: context.losses.gradient(context.setting.objective, x) ** 2)


def _over_starts(context: PepContext, observed: Callable[[Point], Number]) -> Number:
    """Average an observable over the models at which rounds start."""
    return mean([mean([observed(one.start) for one in level]) for level in context.run.rounds])


def _over_virtual(context: PepContext, steps: range, observed: Callable[[Point], Number]) -> Number:
    """Average an observable over the clients' mean models after local steps."""
    rounds = context.run.rounds
    return mean(
        [
            mean([observed(virtual(context.setting, one, k)) for one in level])
            for level in rounds
            for k in steps
        ]
    )


MEASURES: dict[str, Callable[[PepContext], Number]] = {
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
"""The expression of each claim. A distance is measured by its square, and its root is taken at the end."""
