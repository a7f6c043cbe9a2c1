"""Parameters of the program: weights of steps and clients, and the theorem's constants.

The program has L = 1 and the largest of distance, sqrt(gap/L), sigma_g/L equal to 1 in any units, so that the
solver's tolerance has the same meaning everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.dimension import Dimension
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.vocabulary import HOMOGENEOUS_CLIENTS, PARTIAL_PARTICIPATION
from boundkit.analysis.solver_weights import SETTINGS, local_weights, read_weights, written_local_weights

Array = NDArray[np.float64]


def solver_weights(values: Mapping[str, float], vectors: Mapping[str, Any], m: int) -> list[Array]:
    """Return the weights of each client's gradients in its model after k steps, row k."""
    given = vectors.get("a_i")
    if given is not None:
        rows = [written_local_weights(weights) for weights in read_weights(given)]
        return rows * m if len(rows) == 1 else rows
    steps = vectors.get("tau_i", [values.get("tau", 1)] * m)
    counts = [round(k) for k in steps]
    solver = str(vectors.get("solver", "sgd"))
    settings = {
        "prox_step": values["eta"] * values.get("mu_prox", 0.0),
        "rho_momentum": values.get("rho_momentum", 0.0),
        "decay": values.get("decay", 1.0),
    }
    return [local_weights(solver, k, **{name: settings[name] for name in SETTINGS[solver]}) for k in counts]


def vector(given: Sequence[float] | None, m: int) -> list[float]:
    """Return the given weights, or equal ones."""
    return [1 / m] * m if given is None else [float(x) for x in given]


def weighing(
    theorem: Theorem,
    values: Mapping[str, float],
    vectors: Mapping[str, Any],
    p: Sequence[float],
    sums: Sequence[float],
) -> tuple[list[float], list[float]]:
    """Return the server weights of the clients' updates, and the weights of the surrogate objective."""
    displacement = float(np.dot(p, sums))
    if theorem.algorithm == "fednova":
        w = vector(vectors.get("w_i", p), len(p))
        step = values.get("tau_eff", displacement)
        return [step * w_i / s for w_i, s in zip(w, sums, strict=True)], w
    share = values.get("C", 1.0)
    factors = [values.get("eta_s", 1.0) * p_i / share for p_i in p]
    return factors, [p_i * s / displacement for p_i, s in zip(p, sums, strict=True)]


def participating_groups(
    theorem: Theorem, values: Mapping[str, float], m: int
) -> tuple[tuple[int, ...], ...]:
    """Return the groups of clients that may participate, with equal probabilities."""
    if not theorem.assumes(PARTIAL_PARTICIPATION.name):
        return (tuple(range(m)),)
    return tuple(combinations(range(m), round(values["C"] * m)))


WITHOUT_EFFECT = ("T", "gap", "distance")
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
class ProgramParameters:
    """Parameters of the program, in its units.

    ``weights``: for each client, the weights of its gradients in its model after k steps, row k; ``server``:
    the factor of each participating client's update; ``groups``: the groups that may participate, equally
    likely; ``objective``: weights of the losses, ``surrogate``: those by which the server weighs them;
    ``values``: the theorem's constants by keyword; ``at_fixed_point``: whether the one round ends where it
    started.
    """

    rounds: int
    step: float
    weights: tuple[Array, ...]
    server: tuple[float, ...]
    groups: tuple[tuple[int, ...], ...]
    objective: tuple[float, ...]
    surrogate: tuple[float, ...]
    values: Mapping[str, float]
    units: Units
    at_fixed_point: bool = False

    @property
    def clients(self) -> int:
        """Number of losses in the program."""
        return len(self.weights)

    @property
    def nodes(self) -> int:
        """Number of models at which rounds start, over all rounds and samples of clients."""
        return int(sum(len(self.groups) ** t for t in range(self.rounds)))


def setting_of(
    theorem: Theorem,
    values: Mapping[str, float],
    vectors: Mapping[str, Any],
    m: int,
    at_fixed_point: bool = False,
) -> ProgramParameters:
    """Return the program's parameters at these values; ``vectors``: those of the clients, and the solver.

    One loss represents all clients where they are homogeneous, or where only the weighted mean matters, with
    full participation and one step.
    """
    dimensions = {q.name: q.dimension for q in (*ALPHABET.values(), *theorem.quantities)}
    if at_fixed_point:
        values = {n: v for n, v in values.items() if n not in WITHOUT_EFFECT}
    units = _units(values, dimensions)
    weights = solver_weights(values, vectors, m)
    sums = [float(rows[-1].sum()) for rows in weights]
    p = vector(vectors.get("p_i"), m)
    server, w = weighing(theorem, values, vectors, p, sums)
    groups = participating_groups(theorem, values, m)
    one_step = all(len(rows) == 2 for rows in weights) and len(groups) == 1 and np.allclose(p, w, rtol=1e-12)
    if theorem.assumes(HOMOGENEOUS_CLIENTS.name) or one_step:
        factor = float(np.dot(server, sums)) / sums[0]
        weights, server, groups, p, w = weights[:1], [factor], ((0,),), [1.0], [1.0]
    if at_fixed_point and (len(weights) == 1 or len(groups) > 1):
        raise BoundkitError(
            "one loss comes to rest where its gradient is 0: there is no worst case to ask for."
            if len(weights) == 1
            else "a run in which clients are drawn does not come to rest; give T, or C = 1."
        )
    return ProgramParameters(
        rounds=1 if at_fixed_point else int(values["T"]),
        step=values["eta"] / units.of(dimensions["eta"]),
        weights=tuple(weights),
        server=tuple(server),
        groups=groups,
        objective=tuple(p),
        surrogate=tuple(w),
        values={n: v / units.of(dimensions[n]) for n, v in values.items()},
        units=units,
        at_fixed_point=at_fixed_point,
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
