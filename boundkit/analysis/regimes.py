"""Dominant terms of a bound over two of its quantities, and crossovers as formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.algebra.printing import plain
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.crossover import Curve, Window, crossover_curves
from boundkit.analysis.default_ranges import between, default_values, widths_of
from boundkit.analysis.evaluate import Array, evaluate, index_of_largest, satisfied
from boundkit.analysis.labelled_values import as_list
from boundkit.analysis.parameters import Parameters, resolve
from boundkit.analysis.predict import Prediction
from boundkit.analysis.rate import split_rules, substitute_rules
from boundkit.analysis.regimes_text import regimes_report
from boundkit.analysis.step_size import conditions_hold, largest, largest_product, limit_at
from boundkit.report import Report, Reported
from boundkit.report.formatting import join_names, json_values

TIE = 1e-6
"""How far below the largest term a pair may lie and still count as the largest."""


@dataclass(frozen=True, repr=False)
class Crossover:
    """Where two terms are equal.

    ``curves`` are the branches, () where there are none. ``ratio`` is the first over the second where that
    is the same everywhere, else None. ``bounding`` marks, for each branch, the points at which the two are
    the largest terms.
    """

    terms: tuple[str, str]
    curves: tuple[Curve, ...]
    bounding: tuple[NDArray[np.bool_], ...] = field(compare=False)
    ratio: float | None = None

    @property
    def bounds(self) -> bool:
        """Whether it bounds a dominance region in the range."""
        return any(mask.any() for mask in self.bounding)

    def __repr__(self) -> str:
        branches = [
            f"a curve of {c.quantity}" if c.expr is None else f"{c.quantity} = {plain(c.expr)}"
            for c in self.curves
        ]
        where = " or ".join(branches) or "nowhere"
        return f"<crossover of {join_names(self.terms)}: {where}>"

    def beyond(self, curve: Curve) -> str | None:
        """Which of the two is the larger where the quantity of the curve is larger."""
        return None if curve.grows is None else self.terms[0] if curve.grows else self.terms[1]

    def to_dict(self) -> dict[str, Any]:
        """Clean for JSON: formulas as text, and the points of a curve that has no formula."""
        return {
            "terms": list(self.terms),
            "bounds": self.bounds,
            "ratio": None if self.ratio is None else json_values(self.ratio),
            "curves": [self._branch(curve) for curve in self.curves],
        }

    def _branch(self, curve: Curve) -> dict[str, Any]:
        known = np.isfinite(curve.points).all(axis=-1)
        return {
            "of": curve.quantity,
            "formula": None if curve.expr is None else plain(curve.expr),
            "larger_beyond": self.beyond(curve),
            "inside": curve.inside,
            "points": json_values(curve.points[known]) if curve.expr is None else None,
        }


@dataclass(frozen=True, repr=False, eq=False)
class Regimes(Reported):
    """The largest term at every point of a grid, and where terms cross.

    ``prediction`` holds the grid, with the axes x and y. ``rules`` are the formulas of the steps.
    Crossovers are computed on first access.
    """

    theorem: Theorem
    prediction: Prediction
    window: Window
    rules: Mapping[str, Expr]

    @property
    def x(self) -> str:
        """The keyword of the first quantity."""
        return str(self.window.x.name)

    @property
    def y(self) -> str:
        """The keyword of the second quantity."""
        return str(self.window.y.name)

    @property
    def dominant(self) -> Any:
        """The label of the largest term, over the axes x and y."""
        return self.prediction.dominant

    @cached_property
    def area(self) -> Array:
        """The share of each cell of the grid in the picture; shape (x, y). They sum to 1."""
        return np.multiply.outer(widths_of(self.window.xs), widths_of(self.window.ys))

    @cached_property
    def shares(self) -> dict[str, tuple[float, float]]:
        """The share of the area that each term dominates, and how much of that is outside the conditions.

        Only of terms that dominate somewhere, the largest share first.
        """
        dominant, holds = np.asarray(self.dominant), np.asarray(self.prediction.holds)
        branches = {}
        for term in self.theorem.terms:
            mine = dominant == term.label
            if mine.any():
                share = float(self.area[mine].sum())
                branches[term.label] = (share, float(self.area[mine & ~holds].sum()) / share)
        return dict(sorted(branches.items(), key=lambda item: -item[1][0]))

    @cached_property
    def crossovers(self) -> tuple[Crossover, ...]:
        """Every pair of terms, in the order of the theorem."""
        return tuple(self.crossover(a.label, b.label) for a, b in combinations(self.theorem.terms, 2))

    def crossover(self, first: str, second: str) -> Crossover:
        """Where two terms are equal.

        Raises BoundkitError for a label that the bound does not have.
        """
        for label in (first, second):
            if label not in self.theorem.bound.terms:
                raise unknown(f"term of {self.theorem.name}", label, self.theorem.bound.terms)
        return _crossover(self.theorem, first, second, self.window)

    @cached_property
    def edges(self) -> tuple[tuple[Curve, ...], ...]:
        """The curves on which each condition on the steps is an equality.

        There ``grows`` means that the condition fails where the quantity is larger.
        """
        limits = map(sides, self.theorem.step_size)
        return tuple(crossover_curves(small, large, self.window) or () for small, large in limits)

    @property
    def outside(self) -> float:
        """The share of the area in which the steps are outside the conditions."""
        return float(self.area[~np.asarray(self.prediction.holds)].sum())

    def between(self, count: int) -> tuple[Array, Array, NDArray[np.intp], NDArray[np.bool_]]:
        """x, y, the place of the largest term and whether the steps are allowed, for a picture.

        Shapes (count,), (count,), and (count, count) with x first. Counts are taken as real numbers.
        """
        x, y = between(self.window.xs, count), between(self.window.ys, count)
        grid: dict[str, ArrayLike] = {**self.window.values, self.x: x[:, None], self.y: y[None, :]}
        heights = [np.broadcast_to(evaluate(t.expr, grid), (count, count)) for t in self.theorem.terms]
        dominant = index_of_largest(np.where(np.isnan(heights), -np.inf, heights))
        return x, y, dominant, np.broadcast_to(conditions_hold(self.theorem, grid), (count, count))

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON."""
        prediction = self.prediction.to_dict()
        causes = {t.label: t.cause for t in self.theorem.terms}
        names = (self.x, self.y)
        return {
            "theorem": self.theorem.name,
            "quantity": self.theorem.claim.name,
            "x": self.x,
            "y": self.y,
            "values": {n: prediction["parameters"][n] for n in names},
            "regimes": [
                {"term": label, "cause": causes[label], "share": share, "outside": outside}
                for label, (share, outside) in self.shares.items()
            ],
            "crossovers": [crossover.to_dict() for crossover in self.crossovers],
            "dominant": prediction["dominant"],
            "holds": prediction["step_size"]["holds"],
            "outside": self.outside,
            "parameters": {n: v for n, v in prediction["parameters"].items() if n not in names},
            "assumed": prediction["assumed"],
            "rules": {name: plain(rule) for name, rule in self.rules.items()},
            "up_to_constants": prediction["up_to_constants"],
        }

    def report(self) -> Report:
        """Two tables: the regimes, and the crossovers."""
        return regimes_report(self)


def regimes(theorem: Theorem, x: str, y: str, /, **values: object) -> Regimes:
    """Find which term of a bound dominates where, over two of its quantities, all else fixed.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    x, y : str
        Keywords of the two quantities.
    **values
        Values by keyword, as for ``predict``. A list for ``x`` or ``y`` is its range; without one it spans
        legal values around its typical one. A step may be given as a rule: eta="sqrt(m/(tau*T))/L".

    Returns
    -------
    Regimes
        ``dominant`` over the grid, ``shares`` of the area, and ``crossovers`` as formulas.

    Raises
    ------
    BoundkitError
        For a quantity that the bound does not depend on, a vector, x = y, and lists for anything else.

    Examples
    --------
    >>> import boundkit as bk
    >>> (crossover,) = bk.regimes("sgd_nonconvex", "eta", "T", m=10).crossovers
    >>> crossover.terms, crossover.curves[0].quantity, crossover.curves[0].expr
    (('initial gap', 'stochastic noise'), 'T', 2*gap*m/(L*eta**2*sigma**2))
    """
    statement, prediction, window, rules = predict_over_window(theorem, x, y, values)
    return Regimes(statement, prediction, window, rules)


def _crossover(theorem: Theorem, first: str, second: str, window: Window) -> Crossover:
    terms = theorem.bound.terms
    left, right = terms[first].expr, terms[second].expr
    branches = crossover_curves(left, right, window)
    if branches is None:
        corner = window.xs[-1], window.ys[-1]
        above, below = (float(window.at(side, *corner)) for side in (left, right))
        return Crossover((first, second), (), (), above / below if below else inf if above else nan)
    masks = tuple(_largest(theorem, first, curve, window) for curve in branches)
    return Crossover((first, second), branches, masks)


def _largest(theorem: Theorem, label: str, curve: Curve, window: Window) -> NDArray[np.bool_]:
    """Where on the curve no term is larger than the two that meet."""
    x, y = curve.points.T
    heights = {t.label: np.broadcast_to(window.at(t.expr, x, y), x.shape) for t in theorem.terms}
    with np.errstate(invalid="ignore"):
        highest = np.fmax.reduce(list(heights.values()))
        return np.asarray((heights[label] >= (1 - TIE) * highest) & (highest > 0) & np.isfinite(x + y))


def predict_over_window(
    theorem: Theorem, x: str, y: str, given: Mapping[str, object]
) -> tuple[Theorem, Prediction, Window, dict[str, Expr]]:
    """The theorem with clients and rules put in, its prediction over x and y, their window, and the rules.

    Raises BoundkitError for two names that span nothing, and for lists of anything else.
    """
    _check_names(theorem, x, y)
    # Given explicitly, so that a derived quantity such as A_noise is not derived from the clients.
    derived = {q.name: q.typical for q in theorem.definitions if q.name in (x, y)}
    rules, numbers = split_rules(given)
    for name in {x, y} & set(rules):
        raise BoundkitError(f"{name} follows a rule, so it cannot be an axis as well.")
    numbers = {name: as_list(name, value) for name, value in numbers.items()}
    vector = next((name for name in numbers if name in VECTORS), None)
    if vector is not None and "m" in (x, y):
        raise BoundkitError(f"{vector} has one value for each client and so determines m; m is no axis here.")
    unruled, left = substitute_clients(theorem, {**derived, **numbers}, free=(x, y))
    statement, written = substitute_rules(unruled, rules)
    left = {name: value for name, value in left.items() if name in given or name not in derived}
    quantities = {q.name: q for q in statement.quantities}
    for name in (x, y):
        if name not in quantities:
            listed = join_names(list(quantities)) if quantities else "nothing at all"
            raise BoundkitError(f"{theorem.name} does not depend on {name} here; it depends on {listed}.")
    others = {name: value for name, value in left.items() if name not in (x, y)}
    query = resolve(statement, {**_axis_values(statement, (x, y), left), **others})
    xs, ys = (np.asarray(query.values[name], dtype=np.float64) for name in (x, y))
    fixed = {name: float(value) for name, value in query.values.items() if name not in (x, y)}
    window = Window(quantities[x], quantities[y], xs, ys, fixed)
    return statement, _predict(statement, query), window, written


def _check_names(theorem: Theorem, x: str, y: str) -> None:
    own = {q.name: q for q in theorem.quantities}
    for name in (x, y):
        if name in VECTORS:
            raise BoundkitError(f"{name} holds one value for each client, and a vector is never an axis.")
        if name not in {**ALPHABET, **own}:
            raise unknown(f"quantity of {theorem.name}", name, own)
    if x == y:
        raise BoundkitError(f"regimes spans two quantities, but {x} was given twice.")


def _axis_values(
    theorem: Theorem, names: tuple[str, str], given: Mapping[str, object]
) -> dict[str, list[float]]:
    """The values of both axes: those given, rising, or usual ones that are legal beside all else."""
    free_axes = [name for name in names if name not in given]
    known = resolve(theorem, given, free=free_axes).values
    for name, value in known.items():
        if isinstance(value, np.ndarray) and name not in names:
            raise BoundkitError(f"{name} is a list, but regimes spans {join_names(names)} alone.")
    ranges: dict[str, list[float]] = {}
    for name in names:
        if name in given:
            ranges[name] = np.unique(known[name]).tolist()
            if len(ranges[name]) < 2:
                raise BoundkitError(
                    f"{name} was given as one value, but regimes spans {join_names(names)}; give it a range, "
                    f"as {name}=start:stop:count:log, or leave it out."
                )
    quantities = {q.name: q for q in theorem.quantities}
    for name in sorted(free_axes, key=lambda n: n != "m"):  # the clients first, then shares of them
        others = {n: np.ravel(v).tolist() for n, v in known.items()}
        beside = {**others, **{n: ranges.get(n) for n in names if n != name}}
        ranges[name] = _legal_values(
            theorem, quantities[name], default_values(quantities[name], beside), known
        )
    return _jointly_legal(theorem, {name: ranges[name] for name in names}, free_axes, known)


def _legal_values(
    theorem: Theorem, quantity: Quantity, values: list[float], known: Mapping[str, float | Array]
) -> list[float]:
    """The values at which the formula means something, where that depends on nothing that varies too."""
    candidates = np.asarray(values)
    for relation in theorem.requires:
        names = {s.name for s in relation.free_symbols} - {quantity.name}
        if quantity in relation.free_symbols and all(np.ndim(known.get(n, candidates)) == 0 for n in names):
            met = satisfied(relation, {**known, quantity.name: candidates})
            candidates = candidates[np.broadcast_to(met, candidates.shape)]
    if candidates.size < 2:
        raise BoundkitError(
            f"fewer than two of the usual values of {quantity.name} are legal here; give it a range."
        )
    return [float(value) for value in candidates]


def _jointly_legal(
    theorem: Theorem,
    ranges: dict[str, list[float]],
    free_axes: list[str],
    known: Mapping[str, float | Array],
) -> dict[str, list[float]]:
    """Usual values without those that are illegal beside some value of the other axis (T >= groups)."""
    both = set(ranges)
    for relation in theorem.requires:
        if not both <= {s.name for s in relation.free_symbols}:
            continue
        for name in free_axes:
            (other,) = both - {name}
            values = np.asarray(ranges[name])
            at = {**known, name: values[:, None], other: np.asarray(ranges[other])[None, :]}
            legal = np.broadcast_to(satisfied(relation, at), (values.size, len(ranges[other]))).all(axis=1)
            if not legal.all() and legal.sum() >= 2:
                ranges[name] = [float(value) for value in values[legal]]
    return ranges


def _predict(theorem: Theorem, query: Parameters) -> Prediction:
    """As ``predict``, but a term that is too large for a number is inf, and dominates."""
    grid = query.grid()
    arrays = {t.label: np.broadcast_to(evaluate(t.expr, grid), query.shape) for t in theorem.terms}
    product = largest_product(theorem)
    limit = np.broadcast_to(limit_at(largest(theorem), grid), query.shape)
    together = None if product is None else np.broadcast_to(limit_at(product, grid), query.shape)
    return Prediction(theorem, query, arrays, (limit, together))
