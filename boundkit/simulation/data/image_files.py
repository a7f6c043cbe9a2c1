"""Files of images with labels: the idx format of MNIST, and comma-separated values.

idx: two zero bytes, the type (8: unsigned bytes), rank, sizes and bytes. Comma-separated: a line for each
image, grey values row after row, then the label.
"""

from __future__ import annotations

import gzip
import io
import struct
import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, check_input_file, read_bytes


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
        for images, labels in ((X, y), (test_X, test_y)):
            if len(images) != len(labels):
                raise BoundkitError(f"{folder} has {len(images)} images, but {len(labels)} labels for them.")
        return (X, y), (test_X, test_y), folder
    return None
