"""Effect of a larger quantity on the duration of a federated round: shorter is better."""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import Eq, Expr, Gt, Mul, factor

from boundkit.algebra import Quantity
from boundkit.algebra.errors import unknown
from boundkit.analysis.runtime.notation import AT_LEAST_ONE_STEP, QUANTITIES, SlowestOf
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
"""Grid for the effect of the batch: 600 data points, 1 ms each, these overheads in seconds."""


def time_effect(name: str, distribution: str) -> Effect:
    """The effect of a quantity on the duration of a round, for constant or exponential times of a step.

    A quantity of the error only, such as sigma_g, has none. Raises BoundkitError for a distribution without
    a formula.

    >>> time_effect("epochs", "constant").word, time_effect("sigma_g", "exponential").word
    ('worse', 'no effect')
    """
    seconds = formula("federated", distribution)
    if seconds is None:
        raise unknown("distribution with a formula", distribution, ["constant", "exponential"])
    quantity = QUANTITIES.get(name)
    if quantity is None or quantity not in seconds.free_symbols:
        return Effect("no effect", f"it does not enter {seconds}")
    context = Context({"a round": seconds}, (), AT_LEAST_ONE_STEP)
    monotone = direction(seconds, quantity, context.admissible)
    if monotone is None:
        return _numerical_effect_of_batch(distribution)
    regions = _strictly(seconds, quantity, EFFECT_OF_DIRECTION[monotone])
    return Effect(
        "depends" if regions else EFFECT_OF_DIRECTION[monotone],
        "every part of a round is monotone in the same direction",
        True,
        regions,
    )


def effect_of_unequal_data(distribution: str) -> Effect:
    """The effect of unequal data sizes, at the same mean, on the duration of a round of all clients.

    >>> effect_of_unequal_data("constant").word
    'worse'
    """
    clients, mean = 20, 600
    for spread in SPREADS:
        sizes = np.linspace(mean * (1 - spread), mean * (1 + spread), clients).round(-1)
        unequal = round_time("federated", law=distribution, n_i=list(sizes), C=1, batch=10, delay=0)
        equal = round_time("federated", law=distribution, samples=mean, m=clients, C=1, batch=10, delay=0)
        if not unequal.per_round > equal.per_round:
            return Effect("depends", f"numerically: no longer at a spread of {spread:g}", False)
    if distribution == "constant":
        return Effect("worse", "a round takes as long as the largest n_i needs, which is at least the mean")
    spreads = f"{SPREADS[0]:g} to {SPREADS[-1]:g}"
    return Effect("worse", f"numerically, at {clients} clients and relative spreads of {spreads}", False)


def _strictly(seconds: Expr, quantity: Quantity, word: Word) -> tuple[Region, ...]:
    """Regions with and without an effect, where a factor of the derivative may vanish; else none."""
    if seconds.atoms(SlowestOf):
        return ()
    zeros = [f for f in Mul.make_args(factor(seconds.diff(quantity))) if f.is_Symbol and not f.is_positive]
    if len(zeros) != 1:
        return ()
    (zero,) = zeros
    vanishing = (Eq(zero, 0, evaluate=False),)
    return (Region(word, (Gt(zero, 0, evaluate=False),)), Region("no effect", vanishing))


def _numerical_effect_of_batch(distribution: str) -> Effect:
    """The effect of the batch, from durations on a grid."""
    at: dict[str, Any] = {
        "batch": list(BATCHES),
        "C": [n / 100 for n in CLIENTS],
        "m": 100,
        "samples": 600,
        "epochs": 1,
    }
    durations = [
        round_time("federated", law=distribution, overhead=overhead, per_sample=0.001, delay=0, **at)
        for overhead in OVERHEADS
    ]
    changes = np.concatenate([np.diff(np.asarray(one.per_round), axis=0).ravel() for one in durations])
    longer, shorter = bool((changes > 0).any()), bool((changes < 0).any())
    word: Word = "depends" if longer and shorter else "worse" if longer else "better"
    because = (
        f"numerically, over batches {BATCHES[0]} to {BATCHES[-1]} of 600 data points at 1 ms, overheads 0 to "
        f"{OVERHEADS[-1]} s and {CLIENTS[0]} to {CLIENTS[-1]} clients: longer at "
        f"{100 * float((changes > 0).mean()):.0f} % of the steps between them"
    )
    return Effect(word, because, False)
