"""Exact losses of clients of one curvature that participate in cycles, at tuned step sizes.

All clients have the curvature 1, so that a round from the optimum is x+ = x - eta (x + n), and E x_T^2 =
eta/(2 - eta) (1 - (1 - eta)^(2 T)) for independent n of variance 1: the noise of one client, or minimisers at
+-1 in every group, of which one client is sampled. Of two whole groups with minimisers at +-1, x_T = eta/(2 -
eta) (1 - (1 - eta)^T).

A tuned step size has the logarithm of numbers of clients, groups and rounds that a bound may confuse: they
differ most where one of them is far larger than the number of cycles. The steps are longest for the fewest
cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import by_rules, measure_inside
from boundkit.attack.measurement import Measurement

_GROUPS, _CYCLES = (1.0, 2.0, 2.0**32, 2.0**64), (41.0, 45.0, 128.0, 256.0, 512.0)
_OF_A_GROUP = (2.0, 2.0**64)
"""Numbers of groups, of cycles, and of clients of a group."""
_CAUSES = ("sigma", "sigma_within", "sigma_between")
_RELATIVE = 1e-9


def measure_cycles_at_tuned_steps(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gaps, where groups participate in turn and the step size depends on the rounds."""
    needed = ("cyclic-participation", "one-local-step", "bounded-noise")
    if theorem.kind != "upper" or not theorem.rules or not all(map(theorem.assumes, needed)):
        return
    if theorem.claim.name != "last loss gap":
        return
    groups, cycles, group = np.array(list(product(_GROUPS, _CYCLES, _OF_A_GROUP))).T
    for cause in _CAUSES:
        chosen = groups == 2 if cause == "sigma_between" else groups > 0
        at = {"groups": groups[chosen], "m": (groups * group)[chosen], "T": (groups * cycles)[chosen]}
        zero, one = np.zeros_like(at["m"]), np.ones_like(at["m"])
        at |= {"C": 1 / at["m"], "L": one, "mu_pl": one, "gap": zero}
        at |= {**dict.fromkeys(_CAUSES, zero), cause: one}
        at = by_rules(theorem, at)
        limit, between = at["eta"] / (2 - at["eta"]), cause == "sigma_between"
        with np.errstate(invalid="ignore"):  # steps above 1, outside the conditions
            left = at["T"] * np.log1p(-at["eta"])
        square = (limit * np.expm1(left)) ** 2 if between else -limit * np.expm1(2 * left)
        yield from measure_inside(theorem, at, square / 2, _RELATIVE, f"{cause} alone, at tuned steps")
