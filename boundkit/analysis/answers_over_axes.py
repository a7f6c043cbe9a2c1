"""Answers over the axes of lists: one for each element, with the labels of a prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.extras import require
from boundkit.analysis.parameters import Parameters
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Answer = TypeVar("Answer", bound=Reported)

MOST_SEARCHES = 4000
"""Points of a grid with a search at each."""


class Column(NamedTuple):
    """One value of every answer, with its meaning and its unit."""

    value: Callable[[Any], Any]
    long_name: str
    units: str = ""


@dataclass(frozen=True, repr=False, eq=False)
class AnswersOverAxes(Reported, Generic[Answer]):
    """The answers to one question at every point of a grid, in its shape.

    ``answers`` is an array of them; ``at(tau=5)`` is one. Numbers of all answers are xarray objects over
    ``axes``.
    """

    theorem: Theorem
    parameters: Parameters
    answers: NDArray[np.object_] = field(repr=False)

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes, in the order given."""
        return self.parameters.axes

    def at(self, **labels: object) -> Answer:
        """The answer at one label of each axis.

        Raises BoundkitError for an axis that is missing or not there, and for a label that is not on it.
        """
        if set(labels) != set(self.axes):
            raise BoundkitError(f"one value is needed for each of {', '.join(self.axes)}.")
        index = []
        for axis in self.axes:
            coordinate = self.parameters.coordinate(axis)
            places = np.flatnonzero(coordinate == labels[axis])
            if not places.size:
                raise BoundkitError(f"{labels[axis]!r} is not on the axis {axis}.")
            index.append(int(places[0]))
        answer: Answer = self.answers[tuple(index)]
        return answer

    @abstractmethod
    def columns(self) -> dict[str, Column]:
        """The numbers of an answer, by name."""

    @property
    def terms(self) -> xr.Dataset:
        """The terms of the bound at each answer; nan where there is none. Needs xarray."""
        require("xarray")
        import xarray as xr

        unit = self.theorem.claim.dimension.units
        return xr.Dataset({
            t.label: self._collect(Column(partial(_term, t.label), t.label, unit)) for t in self.theorem.terms
        })  # fmt: skip

    def _collect(self, column: Column) -> xr.DataArray:
        return self.parameters.to_xarray(self._values(column), column.long_name, column.units)

    def _values(self, column: Column) -> NDArray[Any]:
        return np.array([column.value(answer) for answer in self.answers.flat]).reshape(self.answers.shape)

    def to_dataset(self) -> xr.Dataset:
        """The numbers of all answers and the terms of their bounds over the axes, with units.

        Needs xarray.
        """
        require("xarray")
        import xarray as xr

        columns = {name: self._collect(column) for name, column in self.columns().items()}
        return xr.Dataset({**columns, **self.terms}, attrs={"theorem": self.theorem.name})

    def to_dataframe(self) -> pd.DataFrame:
        """One row a point: its axes, and the numbers of its answer."""
        return self.to_dataset().to_dataframe().reset_index()

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON: the axes, and the answers in their order, the last axis fastest."""
        answers: list[Any] = self.answers.ravel().tolist()
        return {
            "theorem": self.theorem.name,
            "axes": {axis: self.parameters.coordinate(axis).tolist() for axis in self.axes},
            "answers": [answer.to_dict() for answer in answers],
        }

    def report(self, rows: int | None = 20) -> Report:
        """One line a point, at most ``rows`` (all where None)."""
        header, lines = self._lines()
        shown = lines if rows is None else lines[:rows]
        more = [f"... and {len(lines) - len(shown)} more points"] * (len(shown) < len(lines))
        values, names = self.parameters.values, self.parameters.assumed
        assumed = ", ".join(f"{name} = {format_number(values[name])}" for name in names)
        notes = [*more, *([f"assumed: {assumed}"] if assumed else [])]
        return Report((Heading(self._title()), Table(header, shown, left=0), Sentences(notes)))

    def to_text(self, rows: int | None = 20) -> str:
        """The report for a terminal, with at most ``rows`` points."""
        return self.report(rows).to_text()

    @abstractmethod
    def _title(self) -> str:
        """The title of the report."""

    def _lines(self) -> tuple[list[str], list[list[str]]]:
        given, columns = self.parameters.columns(), self.columns()
        values = [*given.values(), *map(self._values, columns.values())]
        lines = [[_cell(column.flat[place]) for column in values] for place in range(self.answers.size)]
        return [*given, *columns], lines


def _term(label: str, answer: Any) -> float:
    return float("nan") if answer.prediction is None else float(answer.prediction.terms[label])


def _cell(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, float, np.number)):
        return "none" if np.isnan(value) else format_number(value)
    return str(value)


def answer_points(parameters: Parameters, answer: Callable[[Parameters], Answer]) -> NDArray[np.object_]:
    """The answers at every point of a grid.

    Raises BoundkitError as the question does, with the point, and for a grid of too many.
    """
    count = int(np.prod(parameters.shape))
    if count > MOST_SEARCHES:
        raise BoundkitError(
            f"{count} points were given, but at most {MOST_SEARCHES} are searched; take fewer."
        )
    answers = np.empty(parameters.shape, dtype=object)
    spanned = set(parameters.values) - set(parameters.assumed)
    for index, point in parameters.points():
        try:
            answers[index] = answer(point)
        except BoundkitError as error:
            lists = {n for n in spanned if np.ndim(parameters.values[n])}
            raise BoundkitError(
                f"at {parameters.described(parameters.point(index, lists))}: {error}"
            ) from None
    return answers
