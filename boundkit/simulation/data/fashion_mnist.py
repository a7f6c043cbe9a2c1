"""Fashion-MNIST: 60,000 grey images of 28 x 28 points to train on and 10,000 to test, ten kinds of clothes.

Xiao, Rasul, Vollgraf 2017 (arXiv 1708.07747).
"""

from __future__ import annotations

from pathlib import Path

from boundkit.simulation.data.dataset import Dataset, images
from boundkit.simulation.data.file_locations import DEBIAN, missing
from boundkit.simulation.data.idx import read_set
from boundkit.simulation.data.torchvision_datasets import download as fetched

NAME = "fashion-mnist"


def load(root: Path | None = None, download: bool = False) -> Dataset:
    """X (60000, 28, 28) in [0, 1] with its own test set, from the four idx files.

    Searched in root/fashion-mnist, root/FashionMNIST/raw and root, then in the folder of Debian's package,
    then, only with ``download``, through torchvision. Raises BoundkitError where it is missing.
    """
    folders = [] if root is None else [root / NAME, root / "FashionMNIST" / "raw", root]
    folders.append(DEBIAN / NAME)
    found = read_set(folders)
    if found is not None:
        return images(NAME, *found[:2], str(found[2]))
    if download:
        return fetched(NAME, "FashionMNIST", root)
    raise missing(
        NAME,
        root,
        [str(DEBIAN / NAME)],
        "install Debian's package dataset-fashion-mnist, or name a folder with its four idx files as root",
    )
