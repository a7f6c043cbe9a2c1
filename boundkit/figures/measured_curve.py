"""A person's own measurement over a bound: read from a CSV file, an array, a Series or a DataFrame."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.analysis.labelled_values import is_from, is_list
from boundkit.analysis.predict import Prediction, predict
from boundkit.figures.curves import Array
from boundkit.report.formatting import format_number
from boundkit.verification.verdict import Curves

ROUND, MEASURED, ENDS = "round", "measured", ("low", "high")
"""The columns of a measurement: the round, the measured quantity, and the ends of a band, if there is one."""
MOST_POINTS = 1_000_000


@dataclass(frozen=True, eq=False)
class Measurement:
    """A measured curve: ``x`` rises; ``low`` and ``high`` are the ends of its band, or the curve itself."""

    x: Array
    measured: Array
    low: Array
    high: Array
    source: str = ""


def read_measurement(path: str | Path) -> Measurement:
    """Read a CSV file with the columns ``round`` and ``measured``, and optionally ``low`` and ``high``.

    Raises BoundkitError, naming the file and the line, for anything else.
    """
    rows = [row for row in csv.reader(StringIO(read_text(path, MOST_RECORD))) if any(map(str.strip, row))]
    if not rows:
        raise BoundkitError(f"{path} is empty, but a measurement has the columns {ROUND} and {MEASURED}.")
    header = [name.strip() for name in rows[0]]
    try:
        _check_columns(header)
        columns: dict[str, list[float]] = {name: [] for name in header}
        for line, row in enumerate(rows[1:], start=2):
            if len(row) != len(header):
                raise BoundkitError(f"row {line} has {len(row)} cells, but there are {len(header)} columns.")
            for name, cell in zip(header, row, strict=True):
                columns[name].append(_number(cell, name, line))
        return make_measurement(columns, str(path))
    except BoundkitError as error:
        raise BoundkitError(f"{path}: {error}") from None


def _check_columns(header: Sequence[str]) -> None:
    for name in header:
        if name not in (ROUND, MEASURED, *ENDS):
            raise unknown("column", name, (ROUND, MEASURED, *ENDS))
    if missing := [name for name in (ROUND, MEASURED) if name not in header]:
        raise BoundkitError(f"the column {missing[0]} is missing; the header is {', '.join(header)}.")
    if len(set(header)) < len(header) or len([n for n in header if n in ENDS]) == 1:
        raise BoundkitError(f"the header is {', '.join(header)}; low and high come together, each once.")


def _number(cell: str, name: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise BoundkitError(
            f"row {line} has {cell.strip()!r} in the column {name}, which is no number."
        ) from None


def make_measurement(columns: Mapping[str, Any], source: str = "", along: str = ROUND) -> Measurement:
    """A measurement from its columns, in the order of rising rounds.

    Raises BoundkitError for columns of unlike length, no points, a repeated round, and numbers that are not
    finite or are negative.
    """
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    x, size = arrays[ROUND], arrays[ROUND].size
    if not 0 < size <= MOST_POINTS or any(a.shape != (size,) for a in arrays.values()):
        raise BoundkitError("a measurement has at least one point, and columns of one length.")
    for name, values in arrays.items():
        wrong = ~np.isfinite(values) | (values <= 0 if name == ROUND else values < 0)
        if wrong.any():
            least = "above 0" if name == ROUND else "at least 0"
            given = along if name == ROUND else name
            value = format_number(values[int(np.argmax(wrong))])
            raise BoundkitError(f"{given} = {value} was given, but a finite number {least} is needed.")
    order = np.argsort(x, kind="stable")
    if np.any(np.diff(x[order]) == 0):
        place = int(np.argmax(np.diff(x[order]) == 0))
        raise BoundkitError(f"{along} = {format_number(x[order][place])} is given twice.")
    measured = arrays[MEASURED][order]
    low, high = (arrays.get(end, arrays[MEASURED])[order] for end in ENDS)
    if np.any(low > measured) or np.any(high < measured):
        raise BoundkitError("low must be at most measured, and high at least.")
    return Measurement(x[order], measured, low, high, source)


def as_measurement(value: Any, prediction: Prediction) -> Measurement:
    """The measurement that an argument of ``plot`` holds.

    Parameters
    ----------
    value
        A list or an array, at the axis of the prediction or from round 1 on; a Series or a DataArray, by its
        index; a DataFrame, with the column ``measured`` and rounds in ``round`` or in its index; a path.
    prediction
        The bound, at a point or along one axis.
    """
    if isinstance(value, (Measurement, str, Path)):
        return value if isinstance(value, Measurement) else read_measurement(value)
    along = prediction.axes[0] if prediction.axes else "T"
    if is_from(value, "pandas", "DataFrame"):
        columns = {str(name): np.asarray(value[name]) for name in value.columns}
        columns = columns if ROUND in columns else {ROUND: np.asarray(value.index), **columns}
        _check_columns([*columns])
    elif is_from(value, "pandas", "Series"):
        columns = {ROUND: np.asarray(value.index), MEASURED: np.asarray(value)}
    elif is_from(value, "xarray", "DataArray") and value.ndim == 1 and value.dims[0] in value.coords:
        columns = {ROUND: value[value.dims[0]].to_numpy(), MEASURED: value.to_numpy()}
    elif is_list(value):
        columns = {MEASURED: np.asarray(value)}
        count = columns[MEASURED].size
        axis = prediction.parameters.coordinate(along) if prediction.axes else np.arange(1, count + 1)
        if axis.size != count:
            raise BoundkitError(
                f"{count} values were measured, but the prediction has {axis.size} along {along}; give a "
                f"Series with its index, or as many."
            )
        columns[ROUND] = axis
    else:
        raise BoundkitError(
            f"a {type(value).__name__} was given as measured; a list, an array, a Series, a DataFrame, a "
            "DataArray or a path of a CSV file is needed."
        )
    for name, values in columns.items():
        if values.dtype.kind not in "iuf":
            raise BoundkitError(f"{along if name == ROUND else name} must hold numbers, but does not.")
    return make_measurement(columns, along=along)


def curves_along(prediction: Prediction, measurement: Measurement) -> tuple[Prediction, Curves]:
    """The bound at the measured places and at those of the prediction, with nan where nothing was measured.

    Raises BoundkitError for a prediction with two axes, one that does not depend on T where it has none, and
    for measured places at which there is no bound.
    """
    if len(prediction.axes) > 1:
        raise BoundkitError(
            f"a measurement needs a bound along one axis, but the prediction has {len(prediction.axes)}."
        )
    along = prediction.axes[0] if prediction.axes else "T"
    if along not in prediction.parameters.values or along not in ALPHABET:
        raise BoundkitError(f"{prediction.theorem.name} has no {along} along which it could be drawn.")
    own = prediction.parameters.coordinate(along).astype(float) if prediction.axes else np.array([])
    x = np.union1d(own, measurement.x)
    given = {n: v for n, v in prediction.parameters.values.items() if n not in prediction.assumed}
    bound = predict(prediction.theorem, **{**given, along: x})
    series = []
    for values in (measurement.measured, measurement.low, measurement.high):
        placed = np.full(x.shape, np.nan)
        placed[np.searchsorted(x, measurement.x)] = values
        series.append(placed)
    return bound, Curves(x, bound.arrays, *series)
