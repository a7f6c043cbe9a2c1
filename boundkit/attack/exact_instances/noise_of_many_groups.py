"""Exact noise of clients of one curvature in cycles of very many groups, at tuned step sizes.

All clients have the loss x^2/2, so that a round from the optimum is x+ = x - eta (x + noise) whoever
participates, and E x_T^2 = eta sigma^2/(C m) (1 - (1 - eta)^(2 T))/(2 - eta). A tuned step size has the
logarithm of numbers of clients, groups and rounds that a bound may confuse: they differ most where one of
them is far larger than the number of cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.exact_instances.sampled_moments import by_rules, measurement_inside
from boundkit.attack.measurement import Measurement

_GROUPS, _CYCLES, _OF_A_GROUP = (2.0, 2.0**32, 2.0**64), (64.0, 128.0, 256.0, 512.0), (2.0, 2.0**64)
"""Numbers of groups, of cycles, and of clients of a group, one of which participates."""
_RELATIVE = 1e-9


def measure_noise_of_many_groups(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the loss gaps, where groups participate in turn and the step size depends on the rounds."""
    needed = ("cyclic-participation", "one-local-step", "bounded-noise")
    if theorem.kind != "upper" or not theorem.rules or not all(map(theorem.assumes, needed)):
        return
    if theorem.claim.name != "last loss gap":
        return
    groups, cycles, group = np.array(list(product(_GROUPS, _CYCLES, _OF_A_GROUP))).T
    zero, one, m, rounds = np.zeros_like(groups), np.ones_like(groups), groups * group, groups * cycles
    at = by_rules(theorem, {
        "groups": groups, "m": m, "C": 1 / m, "T": rounds, "sigma": one, "L": one, "mu_pl": one,
        **dict.fromkeys(("gap", "sigma_between", "sigma_within"), zero),
    })  # fmt: skip
    eta = at["eta"]
    gap = eta / (2 - eta) * -np.expm1(2 * rounds * np.log1p(-eta)) / 2
    yield measurement_inside(theorem, at, gap, _RELATIVE, "noise of alike clients in many groups")
