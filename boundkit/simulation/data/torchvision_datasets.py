"""Downloads of data sets by torchvision, only on request."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.simulation.data.dataset import Dataset, images


def download(name: str, theirs: str, root: Path | None) -> Dataset:
    """The data set ``name`` from torchvision.datasets.<theirs>(root, train, download=True).

    Raises BoundkitError without a target folder, without torchvision, and where the download fails.
    """
    if root is None:
        raise BoundkitError(f"a download of {name!r} needs a folder to put the files in; give its root.")
    try:
        vision = import_module("torchvision")
    except ImportError:
        raise BoundkitError(
            f"a download of {name!r} needs torchvision, which is not installed; install torchvision, "
            "in the version that goes with torch."
        ) from None

    def pair(train: bool) -> tuple[Any, Any]:
        found = getattr(vision.datasets, theirs)(root=str(root), train=train, download=True)
        return found.data.numpy(), found.targets.numpy()

    try:
        train, test = pair(True), pair(False)
    except (OSError, RuntimeError) as failure:
        raise BoundkitError(f"torchvision could not download {name!r}: {failure}.") from None
    return images(name, train, test, f"torchvision.datasets.{theirs} in {root}")
