"""Write figures: whole or not at all, and the same bytes for the same data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError
from boundkit.figures.page import dots
from boundkit.figures.style import style
from boundkit.verify.files import replacing

FORMATS: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Producer": None, "Creator": "boundkit"},
    ".svg": {"Date": None, "Creator": "boundkit"},
    ".png": {"Software": None},
}
"""What a figure is written as, with the metadata that would tell one day from another taken out."""


def save(figure: Figure, path: str | Path) -> list[Path]:
    """Write a figure as its suffix says, or as PDF, SVG and PNG where there is none; the paths written.

    Raises BoundkitError for another suffix, or where the place cannot be written.
    """
    paths = paths_of(path)
    for one in paths:
        _write(figure, one)
    return paths


def paths_of(path: str | Path) -> list[Path]:
    """The files that ``save`` writes for this path.

    Raises BoundkitError for a suffix that is no format, or for a folder.
    """
    path = Path(path)
    if not path.name or path.is_dir():
        raise BoundkitError(f"{str(path)!r} is a folder, but a figure needs the name of a file.")
    if not path.suffix:
        return [path.with_name(path.name + suffix) for suffix in FORMATS]
    if path.suffix.lower() not in FORMATS:
        raise BoundkitError(
            f"{path} ends in {path.suffix}, but a figure is written as .pdf, .svg or .png, "
            "or as all three where the name has no suffix."
        )
    return [path]


def _write(figure: Figure, path: Path) -> None:
    kind = path.suffix.lower()
    with style(), replacing(path) as beside:
        figure.savefig(beside, format=kind[1:], metadata=FORMATS[kind], dpi=dots(figure.get_figwidth()))
