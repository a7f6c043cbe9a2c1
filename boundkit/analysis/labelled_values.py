"""Values with labels: pandas Series and DataFrames, and xarray DataArrays and Datasets, as arguments.

Neither package is imported here: a value can be one of theirs only where its package was imported already.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import VECTORS
from boundkit.algebra.quantity import Quantity

ROWS = "row"
"""The axis of the rows of a table whose index has no name."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """An array along named axes, with their coordinates; arrays that share an axis vary together along it."""

    values: NDArray[Any]
    axes: tuple[str, ...]
    coordinates: Mapping[str, NDArray[Any]]


def is_from(value: object, package: str, name: str) -> bool:
    """Whether a value is of this class of a package that may not be imported."""
    module = sys.modules.get(package)
    return module is not None and isinstance(value, getattr(module, name))


def is_list(value: object) -> bool:
    """Whether a value is a list of numbers: a sequence, an array, a Series or a DataArray."""
    plain = isinstance(value, (list, tuple, range)) or (isinstance(value, np.ndarray) and value.ndim > 0)
    series = is_from(value, "pandas", "Series") or is_from(value, "pandas", "Index")
    return plain or series or (is_from(value, "xarray", "DataArray") and np.ndim(value) > 0)  # type: ignore[arg-type]


def as_list(name: str, value: object) -> object:
    """A labelled value as an array without its labels, and any other as it is."""
    if not is_list(value) or isinstance(value, (list, tuple, range, np.ndarray)):
        return value
    array = np.asarray(value)
    if array.ndim > 1 and name not in VECTORS:
        raise BoundkitError(f"{name} has {array.ndim} axes, but a list has one.")
    return array


def read_arguments(table: object, given: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a question, those of a table first; a DataArray becomes a ``Labelled``.

    Parameters
    ----------
    table
        None, a DataFrame, whose columns are arguments and whose rows are points, or a Dataset.
    given
        Arguments by keyword. A Series is a list, and a DataArray keeps its axes.

    Raises
    ------
    BoundkitError
        For another table, and for an argument that is given in both.
    """
    rows = _columns(table)
    if twice := next((name for name in rows if name in given), None):
        raise BoundkitError(f"{twice} is a column of the table, so it must not be given beside it.")
    return {name: _read_value(name, value) for name, value in {**rows, **given}.items()}


def _columns(table: Any) -> dict[str, object]:
    if table is None:
        return {}
    if is_from(table, "xarray", "Dataset"):
        return {str(name): table[name] for name in table.data_vars}
    if not is_from(table, "pandas", "DataFrame"):
        raise BoundkitError(
            f"a {type(table).__name__} was given after the theorem, but only a DataFrame (a point a row) or "
            "a Dataset stands there; give single values by keyword, as tau=3."
        )
    axis = str(table.index.name or ROWS)
    index = {axis: np.asarray(table.index)}
    columns: dict[str, object] = {}
    for name in map(str, table.columns):
        if name in columns:
            raise BoundkitError(f"the table has two columns called {name!r}.")
        columns[name] = Labelled(np.asarray(table[name]), (axis,), index)
    return columns


def _read_value(name: str, value: Any) -> object:
    if isinstance(value, Expr) and value.is_number:
        return int(value) if value.is_Integer else float(value)
    if name not in VECTORS and is_from(value, "xarray", "DataArray"):
        if value.ndim == 0:
            return value.item()
        axes = tuple(map(str, value.dims))
        return Labelled(value.to_numpy(), axes, {axis: value[axis].to_numpy() for axis in axes})
    return as_list(name, value)


def attributes(quantity: Quantity) -> dict[str, str]:
    """The attributes of a quantity's values in an xarray result: its meaning, and its unit.

    >>> from boundkit.algebra.notation import eta
    >>> attributes(eta)
    {'long_name': 'client step size', 'units': '[x]^2/[F]'}
    """
    return {"long_name": quantity.meaning, "units": quantity.dimension.units}
