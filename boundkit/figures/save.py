"""Write figures and their data: whole or not at all, and the same bytes for the same data."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError
from boundkit.figures.style import dots, style
from boundkit.simulation.atomic_files import refuse_unwritable, replacing, write_columns

FORMATS: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": "boundkit"},
    ".svg": {"Date": None, "Creator": "boundkit"},
    ".png": {"Software": None},
}
"""The formats of a figure, with the metadata on dates removed."""


DATA = ".csv"
"""The format of the data."""


def save(figure: Figure, path: str | Path, columns: Mapping[str, Sequence[Any]] | None = None) -> list[Path]:
    """Write a figure in the format of the suffix, else as PDF, SVG and PNG; return the paths.

    ``columns``, by their heads, are written beside it as CSV in full digits, or alone where the suffix is
    .csv; a column that is shorter has empty cells below it.
    Raises BoundkitError for another suffix, or where the place cannot be written.
    """
    paths = paths_of(path, data=columns is not None)
    for one in paths:
        if one.suffix.lower() == DATA:
            write_columns(columns or {}, one)
        else:
            _write(figure, one)
    return paths


def refuse_unwritable_figure(path: str | Path, data: bool = False) -> None:
    """Refuse before a long computation what ``save`` would refuse after it: a figure, or it and its ``data``.

    Raises BoundkitError for a suffix that is no format, or where a file of it cannot be written.
    """
    for one in paths_of(path, data):
        refuse_unwritable(one)


def paths_of(path: str | Path, data: bool = False) -> list[Path]:
    """The files that ``save`` writes for this path, with those of its ``data``.

    Raises BoundkitError for a suffix that is no format, or for a folder.
    """
    path = Path(path)
    if not path.name or path.is_dir():
        raise BoundkitError(f"{str(path)!r} is a folder, but a figure needs the name of a file.")
    suffixes = [*FORMATS, DATA] if data else [*FORMATS]
    if not path.suffix:
        return [path.with_name(path.name + suffix) for suffix in suffixes]
    if path.suffix.lower() not in suffixes:
        forms = (
            ".pdf, .svg or .png, its data as .csv, or as all four"
            if data
            else ".pdf, .svg or .png, or as all three"
        )
        raise BoundkitError(
            f"{path} ends in {path.suffix}, but a figure is written as {forms} where the name has no suffix."
        )
    return [path]


def _write(figure: Figure, path: Path) -> None:
    kind = path.suffix.lower()
    # A font of matplotlib's counts its date from 1970, not 1904, and fontTools would warn on stderr.
    logging.getLogger("fontTools.ttLib.tables._h_e_a_d").setLevel(logging.ERROR)
    with style(), replacing(path) as beside, np.errstate(over="ignore"):  # of ticks beyond the last number
        figure.savefig(beside, format=kind[1:], metadata=FORMATS[kind], dpi=dots(figure.get_figwidth()))
