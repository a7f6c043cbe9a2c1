"""The semidefinite program of a worst case, as PEPit states it: class, start, rounds, suppositions, claim."""

from __future__ import annotations

from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.vocabulary import CONVEX, STRONGLY_CONVEX
from boundkit.attack.pep.claims import MEASURES, Scene
from boundkit.attack.pep.dissimilarity import unlike
from boundkit.attack.pep.losses import Losses, Point, new_number, new_program
from boundkit.attack.pep.rounds import resting, run_of
from boundkit.attack.pep.setting import Setting

MOST_CONDITIONS = 1500
"""Inequalities of one program; 600 take about ten seconds, 1500 minutes."""


def is_convex(theorem: Theorem) -> bool:
    """Whether the class is one of convex losses."""
    return theorem.assumes(CONVEX.name) or theorem.assumes(STRONGLY_CONVEX.name)


def is_exact(theorem: Theorem, setting: Setting) -> bool:
    """Whether the program says all that the class says.

    The interpolation conditions of every loss do, and so does what ``_stay_above`` says of the infimum of a
    single loss. Of the infimum of several losses' mean, without convexity, it says what is necessary and not
    all there is; that matters where the gap at the start is measured. At rest no gap is.
    """
    return is_convex(theorem) or setting.clients == 1 or setting.at_rest


def program_of(theorem: Theorem, setting: Setting, scale: float) -> tuple[Any, int]:
    """The program, which maximises ``scale`` times the claim, and how many inequalities its losses take.

    Raises BoundkitError where the program would be too large, and where PEPit is not installed.
    """
    _refuse_many(setting.clients * setting.nodes * (setting.nodes - 1))
    program = new_program()
    scene = _scene(theorem, setting, program)
    program.set_performance_metric(scale * MEASURES[theorem.claim.name](scene))
    for condition in unlike(theorem, scene):
        program.add_constraint(condition)
    if not is_convex(theorem) and not setting.at_rest:
        _stay_above(scene, program)
    conditions = scene.losses.conditions()
    _refuse_many(conditions)
    return program, conditions


def _refuse_many(conditions: int) -> None:
    if conditions > MOST_CONDITIONS:
        raise BoundkitError(
            f"this setting makes a program of at least {conditions} inequalities, but at most "
            f"{MOST_CONDITIONS} are solved; take fewer clients, steps or rounds, or all clients (C = 1)."
        )


def _scene(theorem: Theorem, setting: Setting, program: Any) -> Scene:
    """Losses, start and run."""
    convex, values = is_convex(theorem), setting.values
    losses = Losses(program, setting.clients, values["L"], _strength(theorem, setting))
    weights = setting.objective if convex else setting.surrogate
    # said as one point, and not as two at no distance: the solver needs an interior
    there = not setting.at_rest and 0 in (values.get("gap"), values.get("distance"))
    least: Point = losses.optimum(weights) if convex or there else None
    start = least if there else program.set_initial_point()
    run = resting(setting, losses, start) if setting.at_rest else run_of(setting, losses, start)
    lowest = new_number() if least is None else losses.value(weights, least)
    scene = Scene(setting, losses, run, least if convex else None, lowest)
    if not there and not setting.at_rest:
        if "gap" in values:
            program.set_initial_condition(scene.gap(start) <= values["gap"])
        if "distance" in values:
            program.set_initial_condition((start - least) ** 2 <= values["distance"] ** 2)
    return scene


def _strength(theorem: Theorem, setting: Setting) -> float | None:
    """mu of the class: 0 where it is convex alone, None where it is not."""
    if not theorem.assumes(STRONGLY_CONVEX.name):
        return 0.0 if is_convex(theorem) else None
    mu = setting.values.get("mu", 0.0)
    if mu >= setting.values["L"] * (1 - 1e-9):
        raise BoundkitError("mu = L leaves quadratics of one curvature; an exact worst case needs mu < L.")
    return mu


def _stay_above(scene: Scene, program: Any) -> None:
    """Without convexity: wherever every loss is known, a step of 1/L on their mean ends above the infimum.

    The largest L-smooth function through known values f and gradients g is nowhere below the least of the
    f - |g|^2/(2 L). So for a single loss this is all there is to say, and it is said of every known point:
    starts, inner models, and what the claim is measured at. For several losses it is necessary, since their
    mean is L-smooth, and a relaxation: it says nothing of a model at which one client alone is known. The
    ends are made known for that reason; for a single loss they change nothing.
    """
    weights, L = scene.weights, scene.setting.values["L"]
    for x in scene.run.ends:
        scene.losses.gradients(x)
    for x in scene.losses.known():
        descent = (1 / (2 * L)) * scene.losses.gradient(weights, x) ** 2
        program.add_constraint(scene.gap(x) >= descent)
