"""Values for the quantities of a theorem: checked one by one, then together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.domain import WHOLE_TOLERANCE
from boundkit.algebra.errors import unknown
from boundkit.algebra.extras import is_installed
from boundkit.algebra.notation import ALPHABET, WHOLE
from boundkit.algebra.printing import plain
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.evaluate import Array, evaluate, satisfied
from boundkit.analysis.labelled_values import Labelled, attributes, is_list, read_arguments
from boundkit.analysis.memory import refuse_larger
from boundkit.analysis.rate import STEPS, substitute_rules
from boundkit.report.formatting import format_number, join_names

if TYPE_CHECKING:
    import xarray as xr


LARGEST_GRID = 20_000_000
"""Points of one grid; more would fill the memory of a small machine."""
_SPARE = 12
"""Arrays over a grid besides those of the terms: the axis, the total, the limits, and what makes them."""


@dataclass(frozen=True)
class Parameters:
    """Arguments of a theorem: ``values`` by keyword, a float or an array.

    ``axes`` names the axes of the grid, in the order given. A list is an axis of its own; ``shared`` holds
    the axes of every other array, such as the rows of a table, and ``coordinates`` the labels along those
    axes that are no argument. ``assumed`` names what took its typical value.
    """

    values: Mapping[str, float | Array] = field(hash=False)
    axes: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    coordinates: Mapping[str, NDArray[Any]] = field(default_factory=dict, hash=False)

    @property
    def given(self) -> dict[str, float | Array]:
        """The values without the assumed ones."""
        return {name: value for name, value in self.values.items() if name not in self.assumed}

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the grid; () where there are no axes."""
        return tuple(np.size(self.coordinate(axis)) for axis in self.axes)

    def coordinate(self, axis: str) -> NDArray[Any]:
        """The values of the argument that spans an axis, or the labels along it."""
        return np.asarray(self.coordinates[axis] if axis in self.coordinates else self.values[axis])

    def grid(self) -> dict[str, Array]:
        """Every value as an array that broadcasts to ``shape``."""
        return {name: self._along(name) for name in self.values}

    def _along(self, name: str) -> Array:
        value = np.asarray(self.values[name], dtype=np.float64)
        if value.ndim == 0:
            return value
        own = self.shared.get(name, (name,))
        value = value.transpose([own.index(axis) for axis in self.axes if axis in own])
        sizes = iter(value.shape)
        return value.reshape([next(sizes) if axis in own else 1 for axis in self.axes])

    def columns(self) -> dict[str, NDArray[Any]]:
        """At every point of the grid: the labels along the axes, and the values of arrays that share axes."""
        labels = np.meshgrid(*map(self.coordinate, self.axes), indexing="ij")
        shared = {name: np.broadcast_to(self._along(name), self.shape) for name in self.shared}
        return {**dict(zip(self.axes, labels, strict=True)), **shared}

    def point(self, index: tuple[int, ...], names: Collection[str]) -> dict[str, float]:
        """The values of the named parameters at one point of the grid."""
        return {
            name: float(np.broadcast_to(self._along(name), self.shape)[index])
            for name in self.values
            if name in names
        }

    def to_xarray(self, values: NDArray[Any], long_name: str, units: str = "") -> xr.DataArray:
        """An array over the grid with its axes, their meanings and units, and its own.

        Without xarray, the array itself.
        """
        if not is_installed("xarray"):
            return values  # type: ignore[return-value]
        import xarray as xr

        spanned = {axis: ((axis,), self.coordinate(axis)) for axis in self.axes}
        beside = {name: (self.shared[name], self.values[name]) for name in self.shared}
        known = {name: attributes(ALPHABET[name]) for name in {**spanned, **beside} if name in ALPHABET}
        coordinates = {n: (*value, known.get(n, {})) for n, value in {**spanned, **beside}.items()}
        own = {"long_name": long_name} | ({"units": units} if units else {})
        return xr.DataArray(values, dims=self.axes, coords=coordinates, attrs=own)

    def points(self) -> Iterator[tuple[tuple[int, ...], Parameters]]:
        """Every place of the grid with its arguments, each one number."""
        every = {name: np.broadcast_to(value, self.shape) for name, value in self.grid().items()}
        for index in np.ndindex(*self.shape):
            yield index, Parameters({n: float(v[index]) for n, v in every.items()}, (), self.assumed)

    def described(self, point: Mapping[str, float]) -> str:
        """A point in words, saying which of its values were assumed."""
        marked = [
            f"{n} = {format_number(v)}" + (" (assumed)" if n in self.assumed else "")
            for n, v in point.items()
        ]
        return join_names(marked)

    def to_dict(self, theorem: Theorem) -> dict[str, Any]:
        """Values by keyword, counts as int, axes as lists; clean for JSON, where infinity is None."""
        whole = {q.name for q in theorem.quantities if q.domain.whole}
        result: dict[str, Any] = {}
        for name, value in self.values.items():
            numbers = [
                None if not np.isfinite(v) else int(v) if name in whole else float(v) for v in np.ravel(value)
            ]
            result[name] = numbers if np.ndim(value) else numbers[0]
        return result


def resolve(theorem: Theorem, given: Mapping[str, object], free: Collection[str] = ()) -> Parameters:
    """The given values checked, and typical values for what is missing, except for what is ``free``.

    A list becomes an axis, in the order given; a labelled array keeps its axes. Raises BoundkitError for an
    unknown or free name, a value outside its domain, two lengths of one axis, a point at which C m is not a
    whole number, and a point at which what the theorem requires is not so.
    """
    known = {q.name: q for q in theorem.quantities}
    given, labels = _labels_as_arguments(given, known)
    for name in given:
        if name not in known:
            raise unknown(f"parameter of {theorem.name}", str(name), known)
        if name in free:
            raise BoundkitError(f"{name} is what is looked for here, so it must not be given.")
    values: dict[str, float | Array] = {
        name: check_value(known[name], value) for name, value in given.items()
    }
    shared = {n: v.axes for n, v in given.items() if isinstance(v, Labelled) and v.axes != (n,)}
    arrays = [name for name in given if isinstance(values[name], np.ndarray)]
    axes = tuple(dict.fromkeys(axis for name in arrays for axis in shared.get(name, (name,))))
    assumed = tuple(name for name in known if name not in given and name not in free)
    values |= {name: float(known[name].typical) for name in assumed}
    ordered = {name: values[name] for name in known if name in values}
    coordinates = {axis: labels[axis] for axis in axes if axis not in given}
    parameters = Parameters(ordered, axes, assumed, shared, coordinates)
    if prod(parameters.shape) > LARGEST_GRID:
        raise BoundkitError(
            f"a grid of {prod(parameters.shape)} points was asked for, but at most {LARGEST_GRID} fit."
        )
    points, terms = prod(parameters.shape), len(theorem.terms)
    what = f"a grid of {points:,} points for {terms} terms"
    refuse_larger(8 * points * (terms + _SPARE), what, "ask for fewer points")
    _check_whole(parameters)
    _check_required(theorem, parameters)
    return parameters


def _labels_as_arguments(
    given: Mapping[str, object], known: Collection[str]
) -> tuple[dict[str, object], dict[str, Any]]:
    """The given values, with axes that carry the name of an argument as that argument, and all labels.

    Raises BoundkitError where two values disagree on the labels of an axis, or an axis is one value.
    """
    result, labels, owners = dict(given), dict[str, Any](), dict[str, str]()
    for name, value in given.items():
        for axis, coordinate in _axes_of(name, value).items():
            if axis in labels and not np.array_equal(labels[axis], coordinate):
                raise BoundkitError(
                    f"{owners[axis]} and {name} share the axis {axis}, but its values differ between them."
                )
            labels[axis], owners[axis] = coordinate, name
    for axis, coordinate in labels.items():
        if axis in known and axis not in given:
            result[axis] = coordinate
        elif axis in given and axis not in _axes_of(axis, given[axis]):
            raise BoundkitError(f"{owners[axis]} runs along {axis}, but {axis} does not; give it as a list.")
    return result, labels


def _axes_of(name: str, value: object) -> Mapping[str, Any]:
    """The axes along which a value runs, with their labels."""
    if isinstance(value, Labelled):
        if name in value.axes and len(value.axes) > 1:
            raise BoundkitError(f"{name} runs along {join_names(value.axes)}, but a list has one axis.")
        return {name: value.values} if value.axes == (name,) else value.coordinates
    return {name: value} if is_list(value) else {}


def refuse_axes(parameters: Parameters, what: str) -> None:
    """Raise BoundkitError where a list was given to a question about one point."""
    if parameters.axes:
        raise BoundkitError(f"{parameters.axes[0]} is a list, but {what} takes one value for each parameter.")


def check_value(quantity: Quantity, given: object) -> float | Array:
    """One value as a float, a list as an array. Raises BoundkitError as ``check_number``, and for ``[]``."""
    if isinstance(given, Labelled):
        return np.reshape(check_value(quantity, given.values.ravel()), given.values.shape)
    if isinstance(given, (list, tuple, range)) or (isinstance(given, np.ndarray) and given.ndim > 0):
        items = list(given)
        if not items:
            raise BoundkitError(f"{quantity.name} = [] was given, but an axis needs at least one value.")
        if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iuf":
            return _check_axis(quantity, given.astype(np.float64))
        if set(map(type, items)) == {float}:
            return _check_axis(quantity, np.array(items))
        return np.array([check_number(quantity, item) for item in items])
    return check_number(quantity, given)


def _check_axis(quantity: Quantity, values: Array) -> Array:
    """A numeric array, checked at once where it is good, and item by item for the sentence where not."""
    domain = quantity.domain
    above = values >= domain.lower if domain.includes_lower else values > domain.lower
    below = values <= domain.upper if domain.includes_upper else values < domain.upper
    valid = above & below & np.isfinite(values)
    if domain.whole:
        valid &= values == np.round(values)
    return values if valid.all() else np.array([check_number(quantity, float(v)) for v in values])


def check_number(quantity: Quantity, given: object) -> float:
    """One value as a float. Raises BoundkitError for another type, or a value outside the domain."""
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given.item()
    if isinstance(given, (list, tuple, dict, set, np.ndarray)):
        raise BoundkitError(f"{quantity.name} holds {_quoted(given)}, but an axis is a flat list of numbers.")
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.integer, np.floating)):
        raise BoundkitError(
            f"{quantity.name} = {_quoted(given)} was given, but it must be a number ({quantity.meaning})."
        )
    complaint = quantity.domain.complaint(given)
    if complaint:
        raise BoundkitError(
            f"{quantity.name} = {_quoted(given)} was given, but {complaint} ({quantity.meaning})."
        )
    return float(round(given)) if quantity.domain.whole else float(given)


def _quoted(given: object) -> str:
    text = (
        format_number(given)
        if isinstance(given, (int, float, np.number)) and not isinstance(given, bool)
        else repr(given)
    )
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."


def _check_whole(parameters: Parameters) -> None:
    """Refuse a grid in which C m is not a whole number of clients somewhere."""
    grid = parameters.grid()
    for product in WHOLE:
        names = sorted(s.name for s in product.free_symbols)
        if not set(names) <= set(grid):
            continue
        clients = np.broadcast_to(evaluate(product, grid), parameters.shape)
        invalid = np.abs(clients - np.round(clients)) > WHOLE_TOLERANCE * np.maximum(1.0, np.abs(clients))
        invalid |= np.round(clients) < 1
        if invalid.any():
            index = tuple(int(i) for i in np.unravel_index(int(np.argmax(invalid)), parameters.shape))
            point = parameters.point(index, names)
            count = float(clients[index])
            near = f" {_nearest_fractions(count, point['m'])}" if "C" in names else ""
            raise BoundkitError(
                f"{parameters.described(point)} make {format_number(count)} clients {WHOLE[product]}; "
                f"{plain(product)} must be a whole number, at least 1.{near}"
            )


def _nearest_fractions(clients: float, m: float) -> str:
    counts = sorted({min(max(np.floor(clients), 1.0), m), min(max(np.ceil(clients), 1.0), m)})
    legal = [f"{count / m:.12g}" for count in counts]
    nearest = "nearest value of C is" if len(legal) == 1 else "nearest values of C are"
    return f"The {nearest} {join_names(legal)}."


def _check_required(theorem: Theorem, parameters: Parameters) -> None:
    """Refuse a point at which the formula means nothing, such as m = 1 where it divides by m - 1."""
    grid = parameters.grid()
    for relation in theorem.requires:
        names = {s.name for s in relation.free_symbols}
        if not names <= set(grid):
            continue
        valid = np.broadcast_to(satisfied(relation, grid), parameters.shape)
        if not valid.all():
            index = tuple(int(i) for i in np.unravel_index(int(np.argmin(valid)), parameters.shape))
            where = parameters.described(parameters.point(index, names))
            said = "was given" if names.isdisjoint(parameters.assumed) else "is used; give other values"
            raise BoundkitError(f"{theorem.name} requires {plain(relation)}, but {where} {said}.")


class Query(NamedTuple):
    """A theorem with its clients and rules put in, and its parameters.

    ``unruled`` is the theorem with its clients alone; ``rules`` are the formulas of the steps.
    """

    theorem: Theorem
    parameters: Parameters
    unruled: Theorem
    rules: Mapping[str, Expr]


def read_query(
    theorem: Theorem, table: object, given: Mapping[str, object], free: Collection[str] = ()
) -> Query:
    """Read the arguments of a question: those of a table, rules, values of clients, numbers and lists.

    Raises BoundkitError as ``read_arguments``, ``substitute_clients``, ``substitute_rules`` and ``resolve``,
    for a rule for what is ``free``, and where the theorem does not have what is ``free``.
    """
    arguments = read_arguments(table, given)
    rules = {name: arguments.pop(name) for name in STEPS if _is_rule(arguments.get(name))}
    if conflict := next((name for name in rules if name in free), None):
        raise BoundkitError(f"{conflict} is what is looked for here, so it must not be given.")
    unruled, values = substitute_clients(theorem, arguments, {*free, *rules})
    own = {q.name for q in unruled.quantities}
    if missing := next((name for name in free if name not in own), None):
        raise BoundkitError(f"{theorem.name} has no {missing} ({ALPHABET[missing].meaning}) to tune.")
    ruled, written = substitute_rules(unruled, rules)
    return Query(ruled, resolve(ruled, values, free), unruled, written)


def _is_rule(value: object) -> bool:
    """Whether a value is a formula; a number that is written as text is a mistake, and left to be refused."""
    if not isinstance(value, str):
        return isinstance(value, Expr)
    try:
        float(value)
    except ValueError:
        return True
    return False
