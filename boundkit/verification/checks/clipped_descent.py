"""Clipped descent, one kind of step at a time: slopes on a ramp that is never clipped, or always.

On a ramp F' = 2 target from far away every step is alike, so that the rounds to the target are what a single
term says: the way over eta 2 target where no step is clipped, over clip where all are. The mean decrease is
seen on a quadratic, of which many rounds have used up the gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from boundkit.algebra import Term, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.quadratic import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.verification.checks.fixed_point import FOREVER
from boundkit.verification.checks.slopes import Sweep
from boundkit.verification.claims import measured, prepared
from boundkit.verification.constants import constants_along, parameters
from boundkit.verification.quantities import Subject

_GAP, _TARGET, _ETA, _CLIP, _SHORT = 1.0, 0.1, 0.5, 0.5, 0.03
"""At the largest eta and clip that L0 = L1 = 1 allow, and at a clip that is shorter than any step."""
_FREE = {"eta": (0.5, 0.35, 0.25, 0.125), "target": (0.1, 0.08, 0.065, 0.05)}
_ALWAYS = {"clip": (0.08, 0.05, 0.03, 0.02), "target": (0.1, 0.08, 0.065, 0.05)}
_ROUNDS = (50, 100, 200, 400)


def _ramp(theorem: Theorem, eta: float, clip: float, target: float) -> Run:
    """From far away up a ramp of twice the target, for as many rounds as its shortest steps could need."""
    problem = ClippingProblem("ramp", 2, 1.0, 1.0, target=target, gap=_GAP)
    rounds = int(_GAP / (2 * target) / min(2 * target * eta, clip)) + 20
    options = {"gamma": clip}
    run = make_run(theorem.algorithm, problem, rounds=rounds, eta=eta, x0=problem.start, options=options)
    return replace(prepared(theorem, run), target=target)


def _never_clipped(theorem: Theorem, eta: float = _ETA, target: float = _TARGET) -> Run:
    return _ramp(theorem, eta, _CLIP, target)


def _always_clipped(theorem: Theorem, clip: float = _SHORT, target: float = _TARGET) -> Run:
    return _ramp(theorem, _ETA, clip, target)


def _used_up(theorem: Theorem, T: float) -> Run:
    """A quadratic whose gap is used up long before the last round."""
    problem = Quadratic([1.0] * 2, np.zeros((2, 1)))
    options = {"gamma": 10.0}
    run = make_run(theorem.algorithm, problem, rounds=int(T), eta=0.25, x0=[1.0], options=options)
    return prepared(theorem, run)


def _swept(
    theorem: Theorem, term: Term, letter: str, values: tuple[float, ...], instance: Callable[..., Run]
) -> Sweep:
    found, terms, floors = [], [], []
    for value in values:
        run = instance(theorem, **{letter: value})
        seen = trajectory(run)
        asked = parameters(theorem, run, constants_along(run, seen, theorem), seen)
        found.append(measured(Subject(theorem, run, seen)).value)
        terms.append(float(evaluate(term.expr, asked)))
        floors.append(float(evaluate(theorem.bound.total, asked | {"T": FOREVER})))
    return Sweep(letter, np.array(values), np.array(found), np.array(terms), np.array(floors))


def sweeps(theorem: Theorem, term: Term) -> list[Sweep]:
    """The sweeps on which the term is all that a run pays."""
    if theorem.claim.summary != "first":
        return [_swept(theorem, term, "T", _ROUNDS, _used_up)]
    always = term.cause == "clipping"
    instance, letters = (_always_clipped, _ALWAYS) if always else (_never_clipped, _FREE)
    return [_swept(theorem, term, letter, values, instance) for letter, values in letters.items()]


OWN = {"clipped_minibatch_sgd": sweeps}
"""By algorithm: sweeps of its own, for terms that no exact moments isolate."""
