"""Search locations of data set files: a user's folder, Debian's, or an installed package's."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from boundkit.algebra import BoundkitError

DEBIAN = Path("/usr/share/datasets")
"""Folders in which Debian's packages install data sets."""


def installed(distribution: str, ending: str) -> list[Path]:
    """The files of an installed package with this ending; none where it is not installed.

    They are read in place. The package itself is not imported.
    """
    try:
        listed = files(distribution) or []
    except PackageNotFoundError:
        return []
    return sorted(
        path for f in listed if f.name.endswith(ending) and (path := Path(str(f.locate()))).is_file()
    )


def missing(name: str, root: Path | None, searched: list[str], remedy: str) -> BoundkitError:
    """The error for a data set that is neither under the root nor in the other places."""
    places = [*([] if root is None else [f"{root} and the folders in it that packages make"]), *searched]
    return BoundkitError(
        f"the data set {name!r} was not found: searched {', then in '.join(places)}; {remedy}."
    )
