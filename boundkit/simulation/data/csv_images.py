"""Images as comma-separated whole numbers: a line for each, grey values row after row, then the label."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, check_input_file
from boundkit.simulation.data.idx import Pair


def read_csv(path: Path, side: int) -> Pair:
    """Images (N, side, side) and labels (N,) of a file, gzipped where its name ends in .gz.

    Raises BoundkitError where the file has another format, or is truncated.
    """
    try:
        check_input_file(path, MOST_RECORD)
        rows = np.loadtxt(path, dtype=np.uint8, delimiter=",", ndmin=2)
        return rows[:, :-1].reshape(len(rows), side, side), rows[:, -1]
    except (OSError, EOFError, ValueError, IndexError, zlib.error):
        raise BoundkitError(f"{path} is not a file of grey values and labels, or it breaks off.") from None
