"""Comparison of the bounds of several theorems on shared quantities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boundkit.algebra import BoundkitError, Claim, Theorem
from boundkit.algebra.extras import require
from boundkit.algebra.notation import VECTORS
from boundkit.algebra.printing import plain
from boundkit.analysis.compare_text import ComparedVariant, comparison_report, cost_parameters, lines
from boundkit.analysis.compared_theorem import (
    ComparedTheorem,
    LowestBoundChange,
    border_curves,
    evaluate_contender,
    lowest_changes,
    names_of,
    share_values,
)
from boundkit.analysis.crossover import Curve
from boundkit.analysis.default_ranges import between, nearest, widths_of
from boundkit.analysis.evaluate import Array
from boundkit.analysis.labelled_values import as_list
from boundkit.analysis.parameters import Parameters
from boundkit.report import Report, Reported
from boundkit.report.formatting import join_names, json_values

if TYPE_CHECKING:
    import xarray as xr

MEASURED: dict[str, str] = {
    "gradient_norm_squared": "a squared gradient",
    "gradient_norm": "the norm of a gradient",
    "loss_gap": "a loss gap",
    "distance_squared": "a squared distance",
    "distance": "a distance",
    "spread": "how far models lie apart",
    "clipped_decrease": "a clipped decrease",
}
"""What an observable measures, by the end of its name; before it is the model at which it is measured."""


def measured(claim: Claim) -> str:
    """The kind of quantity that a claim bounds, for any iterate and any mean over rounds.

    >>> from boundkit.algebra.vocabulary import LAST_SQUARED_DISTANCE
    >>> measured(LAST_SQUARED_DISTANCE)
    'a squared distance'
    """
    ends = [end for end in MEASURED if claim.observable.endswith(end)]
    return MEASURED[max(ends, key=len)] if ends else claim.observable


def check_comparable(theorems: Sequence[Theorem]) -> None:
    """Raise BoundkitError where two theorems bound different quantities."""
    first, *others = theorems
    for other in others:
        one, two = first.claim, other.claim
        if one.dimension != two.dimension:
            raise BoundkitError(
                f"{first.name} bounds the {one.name} ({one.dimension}), but {other.name} the {two.name} "
                f"({two.dimension}): unlike things have no order."
            )
        if measured(one) != measured(two) or (one.summary == "first") != (two.summary == "first"):
            raise BoundkitError(
                f"{first.name} bounds the {one.name}, but {other.name} the {two.name}: they have one unit, "
                f"yet one is {measured(one)} and the other {measured(two)}, so neither is below the other."
            )


def remarks(theorems: Sequence[Theorem]) -> list[str]:
    """Remarks on a comparison: different claims, different kinds, unspecified constants, assumptions."""
    result = []
    claims = {t.claim.name: [u.name for u in theorems if u.claim == t.claim] for t in theorems}
    if len(claims) > 1:
        bounded = "; ".join(f"{join_names(names)}: the {claim}" for claim, names in claims.items())
        result.append(f"not quite the same is bounded, so lower need not mean better. {bounded}.")
    order = [t.name for t in theorems if t.order_level]
    if order:
        result.append(
            f"{join_names(order)} up to constants: only how the totals scale means anything, since order "
            "bounds have no common scale with the others."
        )
    lower = [t.name for t in theorems if t.kind == "lower"]
    if lower:
        result.append(f"{join_names(lower)} from below: no method of its class does better.")
    sets = {t.name: {a.name: None for a in t.assumptions} for t in theorems}
    for name, own in sets.items():
        alone = [a for a in own if all(a not in other for n, other in sets.items() if n != name)]
        if alone:
            result.append(f"only {name} assumes {join_names(alone)}.")
    return result


TIE = 1e-12
"""How near, relative to the lowest, another total must be to count as equal."""

EQUAL = "equal"
"""In place of a name where the two lowest totals are equal."""


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Reported):
    """The bounds of several theorems at a point, along one axis, or over two.

    ``axes`` holds the values of each axis by keyword, rising; ``changes`` where another theorem becomes
    the lowest along one axis; ``borders`` the curves, over two axes, on which two totals are equal.
    ``alone`` names the theorems that depend on a value, where not all of them do. ``spare``
    holds quantities that only costs have; ``costs`` has numbers at a point, and symbols over axes.
    """

    contenders: tuple[ComparedTheorem, ...]
    axes: Mapping[str, Array]
    values: Mapping[str, float]
    assumed: tuple[str, ...]
    alone: Mapping[str, tuple[str, ...]]
    tuned: bool
    notes: tuple[str, ...]
    changes: tuple[LowestBoundChange, ...] = ()
    borders: tuple[tuple[tuple[str, str], tuple[Curve, ...]], ...] = ()
    spare: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The theorems, in the order given."""
        return [c.name for c in self.contenders]

    @property
    def ranked(self) -> bool:
        """Whether the numbers have one scale; bounds up to constants have none in common with any other."""
        return not any(c.theorem.order_level for c in self.contenders)

    @property
    def totals(self) -> Array:
        """The bounds; shape (theorems, *axes)."""
        return np.stack([c.total for c in self.contenders])

    @property
    def total(self) -> dict[str, Any]:
        """The bound of each theorem: a float, or xarray over the axes."""
        return {
            c.name: self._over_axes(c.total, c.theorem.claim.name, c.theorem.claim.dimension.units)
            for c in self.contenders
        }

    @property
    def lowest(self) -> Any:
        """The theorem of the lowest bound, or "equal" for a tie; no verdict unless ``ranked``."""
        return self._over_axes(self._lowest, "theorem of the lowest bound")

    @property
    def ratio(self) -> Any:
        """The second lowest bound over the lowest; 1 where they are equal, inf above 0."""
        return self._over_axes(self._ratio, "second lowest bound over the lowest", "1")

    @cached_property
    def _lowest(self) -> NDArray[np.str_]:
        return self._least(self.totals)

    def _least(self, totals: Array) -> NDArray[np.str_]:
        low, next_low = np.sort(totals, axis=0)[:2]
        with np.errstate(invalid="ignore"):
            equal = next_low - low <= TIE * np.abs(low)
        return np.where(equal, EQUAL, np.array(self.names)[np.argmin(totals, axis=0)])

    @cached_property
    def _ratio(self) -> Array:
        low, next_low = np.sort(self.totals, axis=0)[:2]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(next_low == low, 1.0, next_low / low))

    @cached_property
    def costs(self) -> tuple[ComparedVariant, ...]:
        """What a round costs each, a line for each variant of its method."""
        theorems = [c.theorem for c in self.contenders]
        return lines(theorems, {**self.values, **self.spare}, self.assumed, not self.axes)

    @property
    def shares(self) -> dict[str, float]:
        """The share of the axis, or of the area of the map, in which each is the lowest."""
        widths: Array = np.ones(())
        for values in self.axes.values():
            widths = np.multiply.outer(widths, widths_of(values) if values.size > 1 else np.ones(1))
        result = {name: float(widths[self._lowest == name].sum()) for name in (*self.names, EQUAL)}
        return {name: share for name, share in result.items() if share > 0}

    def between(self, count: int) -> tuple[Array, Array, NDArray[np.str_], NDArray[np.bool_]]:
        """x, y, the lowest, and whether its steps are allowed, over two axes, for a picture.

        Shapes (count,), (count,) and (count, count). Counts are taken as real numbers; where steps are
        tuned, each point takes the answer of its nearest neighbour on the grid.
        """
        (name_x, xs), (name_y, ys) = self.axes.items()
        x, y = between(xs, count), between(ys, count)
        if self.tuned:
            at = np.ix_(nearest(xs, x), nearest(ys, y))
            lowest, inside = self._lowest[at], np.stack([c.holds[at] for c in self.contenders])
        else:
            grid: dict[str, ArrayLike] = {**self.values, name_x: x[:, None], name_y: y[None, :]}
            ends = [c.over(grid, (count, count)) for c in self.contenders]
            lowest = self._least(np.stack([total for total, _ in ends]))
            inside = np.stack([holds for _, holds in ends])
        places = np.array([np.isin(lowest, [name, EQUAL]) for name in self.names])
        return x, y, lowest, np.asarray(np.any(places & inside, axis=0))

    def _over_axes(self, values: NDArray[Any], long_name: str, units: str = "") -> Any:
        if not self.axes:
            return values.item()
        return Parameters(self.axes, tuple(self.axes)).to_xarray(values, long_name, units)

    def to_dataset(self) -> xr.Dataset:
        """The bound of each theorem by its name, ``lowest`` and ``ratio`` over the axes, with units.

        Needs xarray.
        """
        require("xarray")
        import xarray as xr

        verdict = {"lowest": self.lowest, "ratio": self.ratio} if self.ranked else {}
        return xr.Dataset({**self.total, **verdict})

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON."""
        counts = {q.name for c in self.contenders for q in c.theorem.quantities if q.domain.whole}
        return {
            "theorems": [self._one(c) for c in self.contenders],
            "axes": {n: [int(v) if n in counts else float(v) for v in vs] for n, vs in self.axes.items()},
            "parameters": {n: int(v) if n in counts else v for n, v in self.values.items()},
            "assumed": list(self.assumed),
            "alone": {name: list(names) for name, names in self.alone.items()},
            "ranked": self.ranked,
            "lowest": self._lowest.tolist() if self.ranked else None,
            "ratio": json_values(self._ratio) if self.ranked else None,
            "shares": self.shares if self.axes and self.ranked else {},
            "changes": [change.to_dict() for change in self.changes],
            "borders": [
                {
                    "theorems": list(pair),
                    "of": c.quantity,
                    "formula": None if c.expr is None else plain(c.expr),
                }
                for pair, curves in self.borders
                for c in curves
                if c.inside
            ],
            "costs": [line.to_dict() for line in self.costs],
            "tuned": self.tuned,
            "notes": list(self.notes),
        }

    def _one(self, c: ComparedTheorem) -> dict[str, Any]:
        return {
            "theorem": c.name,
            "quantity": c.theorem.claim.name,
            "kind": c.theorem.kind,
            "total": json_values(c.total),
            "terms": {label: json_values(values) for label, values in c.arrays.items()},
            "causes": {cause: json_values(values) for cause, values in c.by_cause().items()},
            "holds": c.holds.tolist(),
            "largest": json_values(c.limit),
            "best_eta": None if c.steps is None else json_values(c.steps),
            "rules": {name: plain(rule) for name, rule in c.part.rules.items()},
        }

    def report(self, rows: int | None = 20) -> Report:
        """Side by side at a point; a line a value along an axis, at most ``rows``; shares over two axes."""
        return comparison_report(self, rows)

    def to_text(self, rows: int | None = 20) -> str:
        """The report for a terminal, with at most ``rows`` values of an axis."""
        return self.report(rows).to_text()


def compare(*theorems: Theorem, tuned: bool = False, **values: object) -> Comparison:
    """Compare bounds at a point, along one list, or over two.

    A value applies to the theorems that have its quantity, typical values too. A step may be given as a rule:
    eta="1/(L*tau*sqrt(T))". With ``tuned`` each theorem has its own best eta, inside its conditions, at
    every point. Quantities that only costs have, such as d and batch, may be given too. Raises BoundkitError
    for fewer than two theorems, for claims about different quantities, for a name of no theorem, and for
    more than two lists.

    >>> from boundkit.theorems import theorem
    >>> full, some = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial")
    >>> compare(full, some, tau=5, C=0.5).lowest
    'fedavg_nonconvex'
    """
    for theorem in theorems:
        if not isinstance(theorem, Theorem):
            raise BoundkitError(f"compare takes theorems, but {theorem!r} was given.")
    names = [t.name for t in theorems]
    if len(set(names)) < max(len(names), 2):
        given = f"{join_names(names)} {'was' if len(names) == 1 else 'were'}" if names else "none was"
        raise BoundkitError(f"compare needs two theorems or more, all different, but {given} given.")
    check_comparable(theorems)
    spare_values = cost_parameters(theorems, values, set().union(*map(names_of, theorems)))
    values = {n: as_list(n, v) for n, v in values.items() if n not in spare_values}
    parts = share_values(theorems, {n: _rising(n, v) for n, v in values.items()}, tuned)
    known = {n: v for part in reversed(parts) for n, v in part.query.values.items()}
    axes = {n: np.asarray(known[n], dtype=np.float64) for n in values if np.ndim(known.get(n, 0.0))}
    if len(axes) > 2:
        raise BoundkitError(f"compare takes at most two lists, but {', '.join(axes)} are lists.")
    contenders = tuple(evaluate_contender(part, axes) for part in parts)
    fixed = {n: float(v) for n, v in known.items() if n not in axes}
    owners = {n: tuple(p.theorem.name for p in parts if n in p.query.values) for n in known}
    notes = remarks([p.theorem for p in parts])
    notes += [f"{p.theorem.name} has no eta, so it stands as it is." for p in parts if tuned and not p.tunes]
    result = Comparison(
        contenders, axes, fixed, tuple(n for n in fixed if n not in values),
        {n: names for n, names in owners.items() if len(names) < len(parts)}, tuned, tuple(notes),
        spare=spare_values,
    )  # fmt: skip
    if not result.ranked:
        return result
    if len(axes) == 1:
        ((axis, places),) = axes.items()
        return replace(result, changes=lowest_changes(parts, axis, result._lowest, places))
    if len(axes) == 2 and not tuned:
        return replace(result, borders=border_curves(parts, axes, fixed))
    return result


def _rising(name: str, value: object) -> object:
    """A list in order, each value once; what is no list of numbers is left for others to refuse."""
    if name in VECTORS or not isinstance(value, (list, tuple, range, np.ndarray)):
        return value
    try:
        return sorted(set(value)) or value
    except TypeError:
        return value
