"""How unlike the clients may be, as conditions of the program.

Dissimilarity is bounded where the theorem says, and nowhere else: at the server's models, or wherever a
client takes a gradient. A worst case may hence have losses that are more unlike elsewhere.
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
from boundkit.attack.pep.claims import Scene
from boundkit.attack.pep.losses import Number, Point, mixed
from boundkit.attack.pep.rounds import moved

Condition = Any
"""An inequality of PEPit."""


def _apart(scene: Scene, x: Point) -> list[Number]:
    """The squared distance of every client's gradient at x from that of the objective."""
    gradients = scene.losses.gradients(x)
    whole = mixed(scene.setting.objective, gradients)
    return [(one - whole) ** 2 for one in gradients]


def _bounded(scene: Scene) -> Iterator[Condition]:
    for x in scene.run.starts():
        yield mixed(scene.setting.objective, _apart(scene, x)) <= scene.setting.values["sigma_g"] ** 2


def _clientwise(scene: Scene) -> Iterator[Condition]:
    for x in scene.run.starts():
        yield from (one <= scene.setting.values["sigma_g"] ** 2 for one in _apart(scene, x))


def _uniform(scene: Scene) -> Iterator[Condition]:
    yield from _clientwise(scene)
    for level in scene.run.rounds:
        for x in (x for one in level for walk in one.walks for x in walk[1:-1]):
            yield from (apart <= scene.setting.values["sigma_g"] ** 2 for apart in _apart(scene, x))


def _beta_kappa(scene: Scene) -> Iterator[Condition]:
    beta, kappa, w = scene.setting.values["beta"], scene.setting.values["kappa"], scene.setting.surrogate
    for x in scene.run.starts():
        gradients = scene.losses.gradients(x)
        squares = mixed(w, [one**2 for one in gradients])
        yield squares <= beta**2 * mixed(w, gradients) ** 2 + kappa**2


def _at_the_optimum(scene: Scene) -> Iterator[Condition]:
    squares = [one**2 for one in scene.losses.gradients(scene.optimum)]
    yield mixed(scene.setting.objective, squares) <= scene.setting.values["sigma_star"] ** 2


_CONDITIONS: dict[str, Callable[[Scene], Iterator[Condition]]] = {
    BOUNDED_DISSIMILARITY.name: _bounded,
    CLIENTWISE_DISSIMILARITY.name: _clientwise,
    UNIFORM_DISSIMILARITY.name: _uniform,
    BETA_KAPPA_DISSIMILARITY.name: _beta_kappa,
    OPTIMUM_DISSIMILARITY.name: _at_the_optimum,
}


def unlike(theorem: Theorem, scene: Scene) -> Iterator[Condition]:
    """Every condition on the clients' dissimilarity that the theorem supposes; none for a single loss."""
    if scene.setting.clients == 1:
        return
    for assumption in theorem.assumptions:
        yield from _CONDITIONS.get(assumption.name, _nothing)(scene)
    if "drift_star" in scene.setting.values:
        yield _drift_at_the_optimum(scene)


def _drift_at_the_optimum(scene: Scene) -> Condition:
    """A round from the optimum moves by at most eta tau drift_star."""
    steps = len(scene.setting.ways[0]) - 1
    longest = scene.setting.step * steps * scene.setting.values["drift_star"]
    return moved(scene.setting, scene.losses, scene.optimum) ** 2 <= longest**2


def _nothing(scene: Scene) -> Iterator[Condition]:
    return iter(())
