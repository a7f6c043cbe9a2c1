"""Dissimilarity assumptions as constraints of the program.

Dissimilarity is bounded where the theorem says, and nowhere else: at the server's models, or at all points
where a client evaluates a gradient. A worst case may hence have more dissimilar losses elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from boundkit.algebra import Theorem
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_DISSIMILARITY,
    CLIENTWISE_DISSIMILARITY,
    OPTIMUM_DISSIMILARITY,
    UNIFORM_DISSIMILARITY,
)
from boundkit.attack.pep.claims import Context
from boundkit.attack.pep.losses import Number, Point, mixed
from boundkit.attack.pep.rounds import server_displacement

Condition = Any
"""An inequality of PEPit."""


def _deviations(context: Context, x: Point) -> list[Number]:
    """Return the squared distance of every client's gradient at x from that of the objective."""
    gradients = context.losses.gradients(x)
    whole = mixed(context.setting.objective, gradients)
    return [(one - whole) ** 2 for one in gradients]


def _bounded(context: Context) -> Iterator[Condition]:
    for x in context.run.starts():
        yield (
            mixed(context.setting.objective, _deviations(context, x))
            <= context.setting.values["sigma_g"] ** 2
        )


def _clientwise(context: Context) -> Iterator[Condition]:
    for x in context.run.starts():
        yield from (one <= context.setting.values["sigma_g"] ** 2 for one in _deviations(context, x))


def _uniform(context: Context) -> Iterator[Condition]:
    yield from _clientwise(context)
    for level in context.run.rounds:
        for x in (x for one in level for path in one.models for x in path[1:-1]):
            yield from (
                deviation <= context.setting.values["sigma_g"] ** 2 for deviation in _deviations(context, x)
            )


def _beta_kappa(context: Context) -> Iterator[Condition]:
    beta, kappa, w = (
        context.setting.values["beta"],
        context.setting.values["kappa"],
        context.setting.surrogate,
    )
    for x in context.run.starts():
        gradients = context.losses.gradients(x)
        squares = mixed(w, [one**2 for one in gradients])
        yield squares <= beta**2 * mixed(w, gradients) ** 2 + kappa**2


def _at_the_optimum(context: Context) -> Iterator[Condition]:
    squares = [one**2 for one in context.losses.gradients(context.optimum)]
    yield mixed(context.setting.objective, squares) <= context.setting.values["sigma_star"] ** 2


_CONDITIONS: dict[str, Callable[[Context], Iterator[Condition]]] = {
    BOUNDED_DISSIMILARITY.name: _bounded,
    CLIENTWISE_DISSIMILARITY.name: _clientwise,
    UNIFORM_DISSIMILARITY.name: _uniform,
    BETA_KAPPA_DISSIMILARITY.name: _beta_kappa,
    OPTIMUM_DISSIMILARITY.name: _at_the_optimum,
}


def dissimilarity_conditions(theorem: Theorem, context: Context) -> Iterator[Condition]:
    """Yield all constraints on dissimilarity that the theorem assumes; none for a single loss."""
    if context.setting.clients == 1:
        return
    for assumption in theorem.assumptions:
        yield from _CONDITIONS.get(assumption.name, _none)(context)
    if "drift_star" in context.setting.values:
        yield _drift_at_the_optimum(context)


def _drift_at_the_optimum(context: Context) -> Condition:
    """A round from the optimum moves the model by at most eta tau drift_star."""
    steps = len(context.setting.weights[0]) - 1
    longest = context.setting.step * steps * context.setting.values["drift_star"]
    return server_displacement(context.setting, context.losses, context.optimum) ** 2 <= longest**2


def _none(context: Context) -> Iterator[Condition]:
    return iter(())
