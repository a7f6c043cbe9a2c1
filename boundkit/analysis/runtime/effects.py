"""What a larger quantity does to the time of a federated round: shorter is better."""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import Eq, Expr, Gt, Mul, factor

from boundkit.algebra import Quantity
from boundkit.algebra.errors import unknown
from boundkit.analysis.runtime.notation import AT_LEAST_ONE_STEP, LETTERS, SlowestOf
from boundkit.analysis.runtime.round_time import round_time
from boundkit.analysis.runtime.schemes import formula
from boundkit.analysis.sensitivity.change import EFFECT_OF_DIRECTION
from boundkit.analysis.sensitivity.context import Context
from boundkit.analysis.sensitivity.direction import direction
from boundkit.analysis.sensitivity.effect import Effect, Region, Word

BATCHES = (5, 10, 20, 30, 50, 60, 100, 120, 150, 200, 300, 600)
OVERHEADS = (0.0, 0.001, 0.01, 0.1)
CLIENTS = (1, 10, 100)
SPREADS = (0.1, 0.5, 0.9)
"""Where the time against the batch is looked at: 600 data points, 1 ms each, these overheads in seconds."""


def time_effect(name: str, law: str) -> Effect:
    """The effect of a quantity on the seconds of a round, for constant or exponential times of a step.

    A quantity of the error alone, such as sigma_g, does not enter. Raises BoundkitError for a law without
    a formula.

    >>> time_effect("epochs", "constant").word, time_effect("sigma_g", "exponential").word
    ('worse', 'no effect')
    """
    seconds = formula("federated", law)
    if seconds is None:
        raise unknown("law with a formula", law, ["constant", "exponential"])
    quantity = LETTERS.get(name)
    if quantity is None or quantity not in seconds.free_symbols:
        return Effect("no effect", f"it does not enter {seconds}")
    setting = Context({"a round": seconds}, (), AT_LEAST_ONE_STEP)
    way = direction(seconds, quantity, setting.admissible)
    if way is None:
        return _by_times(law)
    regions = _strictly(seconds, quantity, EFFECT_OF_DIRECTION[way])
    return Effect(
        "depends" if regions else EFFECT_OF_DIRECTION[way],
        "no part of a round moves the other way",
        True,
        regions,
    )


def unequal_data(law: str) -> Effect:
    """What data sizes that differ, at the same mean, do to a round of all clients.

    >>> unequal_data("constant").word
    'worse'
    """
    clients, mean = 20, 600
    for spread in SPREADS:
        sizes = np.linspace(mean * (1 - spread), mean * (1 + spread), clients).round(-1)
        unequal = round_time("federated", law=law, n_i=list(sizes), C=1, batch=10, delay=0)
        alike = round_time("federated", law=law, samples=mean, m=clients, C=1, batch=10, delay=0)
        if not unequal.per_round > alike.per_round:
            return Effect("depends", f"numerically: no longer at a spread of {spread:g}", False)
    if law == "constant":
        return Effect("worse", "a round takes what the largest n_i takes, and that is at least the mean")
    spreads = f"{SPREADS[0]:g} to {SPREADS[-1]:g}"
    return Effect("worse", f"numerically, at {clients} clients and relative spreads of {spreads}", False)


def _strictly(seconds: Expr, quantity: Quantity, word: Word) -> tuple[Region, ...]:
    """Where an effect is none because a factor of the derivative is 0; nothing where it never is."""
    if seconds.atoms(SlowestOf):
        return ()
    zeros = [f for f in Mul.make_args(factor(seconds.diff(quantity))) if f.is_Symbol and not f.is_positive]
    if len(zeros) != 1:
        return ()
    (zero,) = zeros
    there = (Eq(zero, 0, evaluate=False),)
    return (Region(word, (Gt(zero, 0, evaluate=False),)), Region("no effect", there))


def _by_times(law: str) -> Effect:
    """The batch, by the times themselves."""
    at: dict[str, Any] = {
        "batch": list(BATCHES),
        "C": [n / 100 for n in CLIENTS],
        "m": 100,
        "samples": 600,
        "epochs": 1,
    }
    found = [
        round_time("federated", law=law, overhead=overhead, per_sample=0.001, delay=0, **at)
        for overhead in OVERHEADS
    ]
    every = np.concatenate([np.diff(np.asarray(one.per_round), axis=0).ravel() for one in found])
    longer, shorter = bool((every > 0).any()), bool((every < 0).any())
    word: Word = "depends" if longer and shorter else "worse" if longer else "better"
    because = (
        f"numerically, over batches {BATCHES[0]} to {BATCHES[-1]} of 600 data points at 1 ms, overheads 0 to "
        f"{OVERHEADS[-1]} s and {CLIENTS[0]} to {CLIENTS[-1]} clients: longer at "
        f"{100 * float((every > 0).mean()):.0f} % of the steps between them"
    )
    return Effect(word, because, False)
