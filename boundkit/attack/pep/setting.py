"""A theorem's setting in numbers: who takes which steps, how the server weighs them, and the constants.

The program sees L = 1 and the largest of distance, sqrt(gap/L), sigma_g/L as 1, whatever the user's units
are, so that the solver's tolerance means the same everywhere.
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
from boundkit.attack.pep.clients import Array, comers_of, vector, ways_of, weighing

FORGOTTEN = ("T", "gap", "distance")
"""What a run at rest does not remember."""


@dataclass(frozen=True)
class Units:
    """What one of the program's units of loss and of length is in the user's."""

    loss: float
    length: float

    def of(self, dimension: Dimension) -> float:
        """What 1 in the program is in the user's units."""
        return float(self.loss ** float(dimension.loss) * self.length ** float(dimension.length))


@dataclass(frozen=True)
class Setting:
    """What the program is built from, in the program's units.

    ``ways`` holds for each client how much each gradient weighs in its model after k steps, row k;
    ``server`` what the server multiplies the way of a client that comes by; ``comers`` the groups that may
    come, all alike likely; ``objective`` the weights of the clients' losses, ``surrogate`` those by which
    the server weighs them; ``values`` the theorem's constants by keyword; ``at_rest`` says that the one
    round ends where it started.
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
        """How many losses the program holds."""
        return len(self.ways)

    @property
    def nodes(self) -> int:
        """How many models the server may have at the start of a round, over all rounds and all draws."""
        return int(sum(len(self.comers) ** t for t in range(self.rounds)))


def setting_of(
    theorem: Theorem, values: Mapping[str, float], said: Mapping[str, Any], m: int, at_rest: bool = False
) -> Setting:
    """The setting of a theorem at these values; ``said`` holds its vectors and its solver, if any.

    Where all clients suffer one loss, or only their weighted mean matters, since all come and take one
    step, one loss stands for all.
    """
    dimensions = {q.name: q.dimension for q in (*ALPHABET.values(), *theorem.quantities)}
    if at_rest:
        values = {n: v for n, v in values.items() if n not in FORGOTTEN}
    units = _units(values, dimensions)
    ways = ways_of(values, said, m)
    sums = [float(way[-1].sum()) for way in ways]
    p = vector(said.get("p_i"), m)
    server, w = weighing(theorem, values, said, p, sums)
    comers = comers_of(theorem, values, m)
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
    """Units in which L is 1, and the largest constant that is not about curvature alone."""
    curvature, longest = values["L"], 0.0
    for name, value in values.items():
        dimension = dimensions[name]
        power = float(2 * dimension.loss + dimension.length)
        if power:
            longest = max(longest, (value / curvature ** float(dimension.loss)) ** (1 / power))
    length = longest or 1.0
    return Units(loss=curvature * length**2, length=length)
