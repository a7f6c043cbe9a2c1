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
from boundkit.report.formatting import format_number, join_names
from boundkit.simulation.arrays import Array
from boundkit.verification.verdict import Curves

ROUND, MEASURED, ENDS = "round", "measured", ("low", "high")
"""The columns of a measurement: the round, the measured quantity, and the ends of a band, if there is one."""
EXPORTED = "horizon"
"""The name of the round in the CSV of a figure; terms and bound beside it are left out."""
MOST_POINTS = 1_000_000


@dataclass(frozen=True, eq=False)
class MeasuredCurve:
    """A measured curve: ``x`` rises; ``low`` and ``high`` are the ends of its band, or the curve itself.

    ``along`` is the quantity that ``x`` holds: the round T, or the axis of a prediction.
    """

    x: Array
    measured: Array
    low: Array
    high: Array
    source: str = ""
    along: str = "T"

    @property
    def banded(self) -> bool:
        """Whether it has a band."""
        return bool(np.any(self.low < self.high))


def read_measurement(path: str | Path) -> MeasuredCurve:
    """Read a CSV file with the columns ``round`` and ``measured``, and optionally ``low`` and ``high``.

    The CSV of a figure of bound against run is read as well; rounds without a measurement are left out.
    Raises BoundkitError, naming the file and the line, for anything else.
    """
    rows = [row for row in csv.reader(StringIO(read_text(path, MOST_RECORD))) if any(map(str.strip, row))]
    if not rows:
        raise BoundkitError(f"{path} is empty, but a measurement has the columns {ROUND} and {MEASURED}.")
    header = [name.strip() for name in rows[0]]
    try:
        if EXPORTED in header and MEASURED in header:
            header, rows = _of_figure(header, rows)
        _check_columns(header)
        columns: dict[str, list[float]] = {name: [] for name in header}
        for line, row in enumerate(rows[1:], start=2):
            if len(row) != len(header):
                raise BoundkitError(f"row {line} has {len(row)} cells, but there are {len(header)} columns.")
            for name, cell in zip(header, row, strict=True):
                columns[name].append(_number(cell, name, line))
        return make_measurement(columns, Path(path).name)
    except BoundkitError as error:
        raise BoundkitError(f"{path}: {error}") from None


def _of_figure(header: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """The header and rows of a measurement from those of the CSV of a figure, without terms and bound."""
    places = [place for place, name in enumerate(header) if name in (EXPORTED, MEASURED, *ENDS)]
    names = [ROUND if header[place] == EXPORTED else header[place] for place in places]
    blank = header.index(MEASURED)
    whole = [row for row in rows if len(row) == len(header) and row[blank].strip()]
    return names, [[row[place] for place in places] for row in whole]


def _check_columns(header: Sequence[str]) -> None:
    for name in header:
        if name not in (ROUND, MEASURED, *ENDS):
            raise unknown("column", name, (ROUND, MEASURED, *ENDS))
    if missing := [name for name in (ROUND, MEASURED) if name not in header]:
        raise BoundkitError(f"the column {missing[0]} is missing; the header is {', '.join(header)}.")
    if len(set(header)) < len(header) or len([n for n in header if n in ENDS]) == 1:
        raise BoundkitError(f"the header is {', '.join(header)}; low and high go together, each once.")


def _number(cell: str, name: str, line: int) -> float:
    try:
        return float(cell)
    except ValueError:
        raise BoundkitError(
            f"row {line} has {cell.strip()!r} in the column {name}, which is no number."
        ) from None


def make_measurement(columns: Mapping[str, Any], source: str = "", along: str = "T") -> MeasuredCurve:
    """A measurement from its columns, in the order of rising rounds.

    Raises BoundkitError for columns of unequal length, no points, a repeated round, and numbers that are not
    finite or are negative.
    """
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in columns.items()}
    place_name = ROUND if along == "T" else along
    x, size = arrays[ROUND], arrays[ROUND].size
    if not 0 < size <= MOST_POINTS or any(a.shape != (size,) for a in arrays.values()):
        raise BoundkitError("a measurement has at least one point, and columns of one length.")
    for name, values in arrays.items():
        wrong = ~np.isfinite(values) | (values <= 0 if name == ROUND else values < 0)
        if wrong.any():
            least = "above 0" if name == ROUND else "at least 0"
            given = place_name if name == ROUND else name
            value = format_number(values[int(np.argmax(wrong))])
            raise BoundkitError(f"{given} = {value} was given, but a finite number {least} is needed.")
    order = np.argsort(x, kind="stable")
    if np.any(np.diff(x[order]) == 0):
        place = int(np.argmax(np.diff(x[order]) == 0))
        raise BoundkitError(f"{place_name} = {format_number(x[order][place])} is given twice.")
    measured = arrays[MEASURED][order]
    low, high = (arrays.get(end, arrays[MEASURED])[order] for end in ENDS)
    if np.any(low > measured) or np.any(high < measured):
        raise BoundkitError("low must be at most measured, and high at least.")
    return MeasuredCurve(x[order], measured, low, high, source, along)


def along_rounds(prediction: Prediction) -> Prediction:
    """A prediction over the rows of a table, along T where T alone varies; any other as it is.

    Raises BoundkitError where something else varies along the rows.
    """
    values = prediction.parameters.values
    if len(prediction.axes) != 1 or prediction.axes[0] in values:
        return prediction
    varying = [name for name, value in values.items() if np.ndim(value) and np.ptp(value) > 0]
    if varying != ["T"]:
        raise BoundkitError(
            "the axis of a measured curve is the round T, but what varies along the axis "
            f"{prediction.axes[0]} of the prediction is {join_names(varying) or 'nothing'}; give one in "
            "which T alone varies."
        )
    given = {n: v for n, v in values.items() if n not in prediction.assumed}
    point = {n: float(np.ravel(v)[0]) for n, v in given.items() if n != "T"}
    return predict(prediction.theorem, **point, T=np.asarray(values["T"]))


def as_measurement(value: Any, prediction: Prediction) -> MeasuredCurve:
    """The measurement that an argument of ``plot`` holds.

    Parameters
    ----------
    value
        A list or an array, at the axis of the prediction or from round 1 on; a Series or a DataArray, by its
        index; a DataFrame, with the column ``measured`` and rounds in ``round`` or in its index; a path. An
        index holds rounds, or has the name of the axis of the prediction.
    prediction
        The bound, at a point or along one axis.
    """
    if isinstance(value, (MeasuredCurve, str, Path)):
        return value if isinstance(value, MeasuredCurve) else read_measurement(value)
    prediction = along_rounds(prediction)
    along = axis_name = prediction.axes[0] if prediction.axes else "T"
    index: Any = None
    if is_from(value, "pandas", "DataFrame"):
        columns = {str(name): np.asarray(value[name]) for name in value.columns}
        if ROUND in columns:
            along = "T"
        else:
            index, name_of_index = np.asarray(value.index), value.index.name
            columns = {ROUND: index, **columns}
        _check_columns([*columns])
    elif is_from(value, "pandas", "Series"):
        index, name_of_index = np.asarray(value.index), value.index.name
        columns = {ROUND: index, MEASURED: np.asarray(value)}
    elif is_from(value, "xarray", "DataArray") and value.ndim == 1 and value.dims[0] in value.coords:
        index, name_of_index = value[value.dims[0]].to_numpy(), value.dims[0]
        columns = {ROUND: index, MEASURED: value.to_numpy()}
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
    if index is not None and name_of_index != axis_name:
        along = "T"
    for name, values in columns.items():
        if values.dtype.kind not in "iuf":
            raise BoundkitError(f"{along if name == ROUND else name} must hold numbers, but does not.")
    if index is not None and along == "T" and index.size and index.min() == 0:
        raise BoundkitError(
            f"rounds start at 1, but the index of the {type(value).__name__} begins at 0; add 1 to it, or "
            "give the rounds that were measured as its index."
        )
    return make_measurement(columns, along=along)


def curves_along(prediction: Prediction, measurement: MeasuredCurve) -> tuple[Prediction, Curves]:
    """The bound at the measured places and at those of the prediction, with nan where nothing was measured.

    Raises BoundkitError for a prediction with two axes, along another axis than the measurement, or at one T;
    for one that does not depend on T where it has no axis; and for measured places without a bound.
    """
    prediction = along_rounds(prediction)
    if len(prediction.axes) > 1:
        raise BoundkitError(
            f"a measurement needs a bound along one axis, but the prediction has {len(prediction.axes)}."
        )
    along = prediction.axes[0] if prediction.axes else "T"
    if along not in prediction.parameters.values or along not in ALPHABET:
        raise BoundkitError(f"{prediction.theorem.name} has no {along} along which it could be drawn.")
    if along != measurement.along:
        raise BoundkitError(
            f"the axis of a measured curve is the round T, but the prediction is along {along}; give one "
            f"value of {along}, or, in Python, a list of what was measured at each."
        )
    if not prediction.axes and "T" not in prediction.assumed:
        rounds = format_number(float(prediction.parameters.values["T"]))
        raise BoundkitError(
            f"T = {rounds} was given, but the rounds come from the measurement; leave T out, or give a list "
            "to draw the bound at more rounds."
        )
    own = prediction.parameters.coordinate(along).astype(float) if prediction.axes else np.array([])
    x = np.union1d(own, measurement.x)
    bound = predict(prediction.theorem, **{**prediction.parameters.given, along: x})
    series = []
    for values in (measurement.measured, measurement.low, measurement.high):
        placed = np.full(x.shape, np.nan)
        placed[np.searchsorted(x, measurement.x)] = values
        series.append(placed)
    return bound, Curves(x, bound.arrays, *series)
