"""What theorems of clipping ask: the clip, the target of a first time, dissimilarity in norm, (L0, L1)."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.algorithms.clipping import Clipped
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.verification.quantities.subject import Subject
from boundkit.verification.relaxed_smoothness import relaxed

_BELOW = 1 - 1e-12
"""A target just below a gradient: that one does not reach it."""


def clip_of(run: Run) -> float | None:
    """The length of a clipped step; None where the algorithm does not clip."""
    return run.algorithm.gamma(run.eta) if isinstance(run.algorithm, Clipped) else None


def _clip(subject: Subject) -> Constant:
    clip = clip_of(subject.run)
    if clip is None:
        raise BoundkitError(f"{subject.run.algorithm.name} does not clip.")
    return Constant(clip, "exact", "the option gamma")


def _target(subject: Subject) -> Constant:
    """The run's own; of a class of problems the class's; else the hardest for the bound along the run."""
    if subject.run.target is not None:
        return Constant(subject.run.target, "exact", "the run's own")
    if "target" in subject.constants:
        return subject.constants["target"]
    return hardest_target(subject)


def hardest_target(subject: Subject) -> Constant:
    """The target at which the first time is the largest part of the bound.

    A bound that falls with the target is met hardest just below a gradient that was the smallest so far: the
    next smaller one is waited for. Raises NotYet before the run, and BoundkitError where it starts at rest.
    """
    from boundkit.verification.claims import series_of

    seen = subject.trajectory
    mean = series_of(subject).mean(axis=0)
    records = np.flatnonzero(np.r_[True, mean[1:] < np.minimum.accumulate(mean)[:-1]])
    if mean[0] == 0:
        raise BoundkitError("the run starts where the gradient is 0, so that no target is left to reach.")
    targets, first = mean[records[:-1]] * _BELOW, records[1:]
    if not len(first):
        return Constant(float(mean[0]), "local", "the gradient at the start: no later one is smaller")
    total = subject.theorem.bound.total
    names = sorted({s.name for s in total.free_symbols} - {"target"})
    values = {name: subject.value(name) for name in names}
    ratios = first / evaluate(total, {**values, "target": targets})
    worst = int(np.argmax(ratios))
    said = f"hardest for the bound along the run: reached in round {first[worst]}"
    return Constant(float(targets[worst]), "estimated" if seen.random else "local", said)


def _in_norm(name: str, subject: Subject) -> Constant:
    if subject.run.problem.alike:
        return Constant(0.0, "exact", "all clients have one loss")
    raise BoundkitError(f"this {subject.run.problem.kind} problem has no {name}, a dissimilarity in norm.")


def _grad_max(subject: Subject) -> Constant:
    raise BoundkitError(f"the largest gradient of this {subject.run.problem.kind} problem is not known.")


KNOWN = {
    "L0": lambda s: relaxed(s.run.problem, s.run.x0, clip_of(s.run))["L0"],
    "L1": lambda s: relaxed(s.run.problem, s.run.x0, clip_of(s.run))["L1"],
    "clip": _clip,
    "target": _target,
    "zeta": lambda s: _in_norm("zeta", s),
    "rho_zeta": lambda s: _in_norm("rho_zeta", s),
    "grad_max": _grad_max,
}
