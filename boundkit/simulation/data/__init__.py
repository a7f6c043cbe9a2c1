"""Data sets by name, and their partition among clients.

Nothing is downloaded without permission: data are read from installed packages, or from a folder.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.data.dataset import Dataset
from boundkit.simulation.data.image_sets import load_digits, load_fashion_mnist, load_mnist
from boundkit.simulation.data.partitioners import (
    PARTITIONERS,
    Partitioner,
    partition,
    partition_json,
    partitioner,
)
from boundkit.simulation.data.shakespeare import load_shakespeare

DATASETS: dict[str, Callable[[Path | None, bool], Dataset]] = {
    "digits": load_digits,
    "fashion-mnist": load_fashion_mnist,
    "mnist": load_mnist,
    "shakespeare": load_shakespeare,
}
"""The loader of each data set, a function of ``root`` and ``download``."""


def load_dataset(name: str, root: Path | None = None, download: bool = False) -> Dataset:
    """The data set of a name; read once, then shared, so do not write into its arrays.

    ``root``: the first folder to search, and the target of downloads. ``download``: fetch images that
    are not on this machine with torchvision.

    Raises BoundkitError for an unknown name, a root that is not a folder, and missing data: with the places
    searched, and the package to install.

    >>> digits = load_dataset("digits")
    >>> digits.X.shape, digits.test_X.shape, digits.classes
    ((1437, 8, 8), (360, 8, 8), 10)
    """
    if not isinstance(name, str) or name not in DATASETS:
        raise unknown("data set", str(name), DATASETS)
    folder = None if root is None else Path(root).expanduser().resolve()
    if folder is not None and not folder.is_dir() and not download:
        raise BoundkitError(f"the root of the data must be a folder, but {root} is none.")
    return _loaded(name, folder, bool(download))


@lru_cache(maxsize=8)
def _loaded(name: str, root: Path | None, download: bool) -> Dataset:
    return DATASETS[name](root, download)


__all__ = [
    "DATASETS",
    "PARTITIONERS",
    "Dataset",
    "Partitioner",
    "load_dataset",
    "partition",
    "partition_json",
    "partitioner",
]
