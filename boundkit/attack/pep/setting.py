"""Parameters of the program: weights of steps and clients, and the theorem's constants.

The program has L = 1 and the largest of distance, sqrt(gap/L), sigma_g/L equal to 1 in any units, so that the
solver's tolerance has the same meaning everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.dimension import Dimension
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.vocabulary import ALIKE_CLIENTS
from boundkit.attack.pep.clients import Array, participating_groups, vector, ways_of, weighing

FORGOTTEN = ("T", "gap", "distance")
"""Quantities on which a run at a fixed point does not depend."""


@dataclass(frozen=True)
class Units:
    """The program's units of loss and of length in those of the user."""

    loss: float
    length: float

    def of(self, dimension: Dimension) -> float:
        """Return a unit of the program in those of the user."""
        return float(self.loss ** float(dimension.loss) * self.length ** float(dimension.length))


@dataclass(frozen=True)
class Setting:
    """Parameters of the program, in its units.

    ``ways``: for each client, the weights of its gradients in its model after k steps, row k; ``server``: the
    factor of each participating client's update; ``comers``: the groups that may participate, equally likely;
    ``objective``: weights of the losses, ``surrogate``: those by which the server weighs them; ``values``:
    the
    theorem's constants by keyword; ``at_rest``: whether the one round ends where it started.
    """

    rounds: int
    step: float
    ways: tuple[Array, ...]
    server: tuple[float, ...]
    comers: tuple[tuple[int, ...], ...]
    objective: tuple[float, ...]
    surrogate: tuple[float, ...]
    values: Mapping[str, float]
    units: Units
    at_rest: bool = False

    @property
    def clients(self) -> int:
        """Number of losses in the program."""
        return len(self.ways)

    @property
    def nodes(self) -> int:
        """Number of models at which rounds start, over all rounds and samples of clients."""
        return int(sum(len(self.comers) ** t for t in range(self.rounds)))


def setting_of(
    theorem: Theorem, values: Mapping[str, float], text: Mapping[str, Any], m: int, at_rest: bool = False
) -> Setting:
    """Return the program's parameters at these values; ``said``: vectors and solver of the theorem.

    One loss represents all clients where they are homogeneous, or where only the weighted mean matters, with
    full
    participation and one step.
    """
    dimensions = {q.name: q.dimension for q in (*ALPHABET.values(), *theorem.quantities)}
    if at_rest:
        values = {n: v for n, v in values.items() if n not in FORGOTTEN}
    units = _units(values, dimensions)
    ways = ways_of(values, text, m)
    sums = [float(way[-1].sum()) for way in ways]
    p = vector(text.get("p_i"), m)
    server, w = weighing(theorem, values, text, p, sums)
    comers = participating_groups(theorem, values, m)
    together = all(len(way) == 2 for way in ways) and len(comers) == 1 and np.allclose(p, w, rtol=1e-12)
    if theorem.assumes(ALIKE_CLIENTS.name) or together:
        push = float(np.dot(server, sums)) / sums[0]
        ways, server, comers, p, w = ways[:1], [push], ((0,),), [1.0], [1.0]
    if at_rest and (len(ways) == 1 or len(comers) > 1):
        raise BoundkitError(
            "one loss comes to rest where its gradient is 0: there is no worst case to ask for."
            if len(ways) == 1
            else "a run in which clients are drawn does not come to rest; give T, or C = 1."
        )
    return Setting(
        rounds=1 if at_rest else int(values["T"]),
        step=values["eta"] / units.of(dimensions["eta"]),
        ways=tuple(ways),
        server=tuple(server),
        comers=comers,
        objective=tuple(p),
        surrogate=tuple(w),
        values={n: v / units.of(dimensions[n]) for n, v in values.items()},
        units=units,
        at_rest=at_rest,
    )


def _units(values: Mapping[str, float], dimensions: Mapping[str, Dimension]) -> Units:
    """Return units in which L is 1, and the largest other constant with a length."""
    curvature, longest = values["L"], 0.0
    for name, value in values.items():
        dimension = dimensions[name]
        power = float(2 * dimension.loss + dimension.length)
        if power:
            longest = max(longest, (value / curvature ** float(dimension.loss)) ** (1 / power))
    length = longest or 1.0
    return Units(loss=curvature * length**2, length=length)
