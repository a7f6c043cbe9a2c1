"""How old what is remembered of clients grows.

An algorithm that ages in another way adds its own entry to ``AGES``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems.base import Array
from boundkit.verification.quantities.subject import Subject


def ages(subject: Subject) -> Array:
    """How old what is remembered of each client is in each round, (T, m), from where the run begins.

    With the option ``wait`` it begins after the round in which the last client was first seen, and in that
    all come. Raises BoundkitError where who comes is left to chance.
    """
    run = subject.run
    who, m = run.participation, run.problem.m
    if who.random:
        raise BoundkitError("how old a memory grows is not known where who comes is left to chance.")
    last, rows, seen = np.full(m, -1), [], np.zeros(m, dtype=bool)
    waits = bool(run.algorithm.settings.get("wait", False))
    for t in range(run.rounds):
        here = who.law(t).presence > 0
        begun = not waits or bool(seen.all())
        seen |= here
        if not begun:
            last[:] = t if seen.all() else last
            continue
        last[here] = t
        rows.append(t - last)
    if not rows:
        raise BoundkitError("the run ends before every client came once.")
    return np.array(rows, dtype=np.float64)


def late(subject: Subject) -> Array:
    """How many rounds old the model is whose gradient comes, (T, m): no older than the start."""
    given = subject.run.algorithm.settings["delays"]
    rows = given if isinstance(given, (list, tuple)) else [given]
    of_rounds = [
        np.broadcast_to(rows[t % len(rows)], subject.run.problem.m) for t in range(subject.run.rounds)
    ]
    return np.minimum(np.array(of_rounds, dtype=np.float64), np.arange(subject.run.rounds)[:, None])


AGES: dict[str, Callable[[Subject], Array]] = {"async_sgd": late, "mifa": ages}
"""How old, (T, m), by algorithm."""


def _ages(subject: Subject) -> Array:
    name = subject.run.algorithm.name
    if name not in AGES:
        raise BoundkitError(f"how old anything grows is not known of {name}.")
    return AGES[name](subject)


def _staleness(subject: Subject) -> Constant:
    oldest = float(_ages(subject).max())
    return Constant(oldest, "exact", "the age of the oldest thing that the server steps with, in rounds")


def _staleness_mean(subject: Subject) -> Constant:
    return Constant(float(_ages(subject).mean()), "exact", "the mean age over clients and rounds of the run")


KNOWN = {"staleness": _staleness, "staleness_mean": _staleness_mean}
