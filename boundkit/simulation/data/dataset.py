"""A data set: points with labels, a held-out part, and optionally natural clients; locations of its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError

Labels = NDArray[np.int64]
HELD_OUT = 5
"""One point in this many is held out where the data have no test set of their own."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training points X (N, *inputs) with y (N,), and held-out points, test_X with test_y.

    Images are float32 in [0, 1]. Text is int64: X (N, length) are indices into the alphabet, y (N, length)
    those of the next characters. ``classes``: labels are 0, ..., classes - 1. ``groups``: the natural client
    of each training point, (N,), or None. ``source``: the origin of the data.

    Raises BoundkitError where arrays do not fit together.
    """

    name: str
    X: NDArray[Any]
    y: Labels
    test_X: NDArray[Any]
    test_y: Labels
    classes: int
    groups: Labels | None
    source: str

    def __post_init__(self) -> None:
        for part, X, y in (("training", self.X, self.y), ("test", self.test_X, self.test_y)):
            if X.shape[1:] != self.X.shape[1:]:
                raise BoundkitError(
                    f"points of {self.name} need one shape, not {self.inputs} and {X.shape[1:]}."
                )
            if y.shape != (X.shape if self.tokens else X.shape[:1]):
                raise BoundkitError(
                    f"{self.name} has {part} points of shape {X.shape}, but labels of shape {y.shape}."
                )
            if y.size and not 0 <= y.min() <= y.max() < self.classes:
                raise BoundkitError(
                    f"labels of {self.name} must be from 0 to {self.classes - 1}, "
                    f"but its {part} points have labels from {y.min()} to {y.max()}."
                )
        if self.groups is not None and self.groups.shape != self.X.shape[:1]:
            raise BoundkitError(
                f"{self.name} has {len(self.X)} training points, but groups of shape {self.groups.shape}."
            )

    @property
    def inputs(self) -> tuple[int, ...]:
        """The shape of one point."""
        return self.X.shape[1:]

    @property
    def tokens(self) -> bool:
        """Whether points are sequences of whole numbers, and labels too."""
        return bool(np.issubdtype(self.X.dtype, np.integer))


def images(
    name: str, train: tuple[NDArray[Any], NDArray[Any]], test: tuple[NDArray[Any], NDArray[Any]], source: str
) -> Dataset:
    """A data set of ten classes from grey values 0, ..., 255 with labels: a training pair and a test pair."""
    (X, y), (test_X, test_y) = train, test
    return Dataset(
        name, scaled(X), y.astype(np.int64), scaled(test_X), test_y.astype(np.int64), 10, None, source
    )


def scaled(grey: NDArray[Any], white: float = 255.0) -> NDArray[np.float32]:
    """Grey values 0, ..., white as float32 in [0, 1]."""
    return grey.astype(np.float32) / np.float32(white)


def split(
    X: NDArray[Any], y: NDArray[Any]
) -> tuple[tuple[NDArray[Any], NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]:
    """Training and test points: the first fifth, rounded up, of default_rng(0).permutation(N) is held out.

    Both keep the order of the file. The rule does not depend on labels.
    """
    held_out = np.zeros(len(X), dtype=bool)
    held_out[np.random.default_rng(0).permutation(len(X))[: -(-len(X) // HELD_OUT)]] = True
    return (X[~held_out], y[~held_out]), (X[held_out], y[held_out])


DEBIAN = Path("/usr/share/datasets")
"""Folders in which Debian's packages install data sets."""


def installed(distribution: str, ending: str) -> list[Path]:
    """The files of an installed package with this ending; none where it is not installed.

    They are read in place. The package itself is not imported.
    """
    from importlib.metadata import PackageNotFoundError, files

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
