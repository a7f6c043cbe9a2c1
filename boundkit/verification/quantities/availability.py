"""Chances to come, how models mix, and what weights do to them."""

from __future__ import annotations

from collections.abc import Callable

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.participation.gossip_mixing import mixing
from boundkit.verification.quantities.coming import defined, everybody
from boundkit.verification.quantities.subject import Subject


def _least(subject: Subject) -> Constant:
    run = subject.run
    value = 1.0 if everybody(run) else run.participation.floor
    return _chance(value, "the least chance of any client in any round")


def _most(subject: Subject) -> Constant:
    run = subject.run
    value = 1.0 if everybody(run) else run.participation.ceiling
    return _chance(value, "the largest chance of any client in any round")


def _chance(value: float | None, how: str) -> Constant:
    if value is None:
        raise BoundkitError("its clients do not come independently, each with a chance of its own.")
    return Constant(float(value), "exact", how)


def _mixing(subject: Subject) -> Constant:
    if everybody(subject.run):
        return Constant(0.0, "exact", "everybody averages in every round")
    return mixing(subject.run.participation)


def _cutoff(subject: Subject) -> Constant:
    K = subject.run.algorithm.settings.get("cutoff")
    if K is None:
        raise BoundkitError("cutoff is not known of a run that cuts no intervals off.")
    return Constant(float(K), "exact", "the run's own")


def _asked(name: str) -> Callable[[Subject], Constant]:
    return lambda subject: defined(subject, name)


KNOWN = {
    "availability": _least,
    "availability_max": _most,
    "mixing": _mixing,
    "pull": _asked("pull"),
    "share_noise": _asked("share_noise"),
    "absence": _asked("absence"),
    "cutoff": _cutoff,
}
