"""scikit-learn's digits: 1797 grey images of 8 x 8 points, values 0, ..., 16, of handwritten digits.

The test part of E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
Repository, 1998. A fifth, 360 images, is held out by the rule of ``split``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.data.dataset import Dataset, scaled, split
from boundkit.simulation.data.file_locations import installed
from boundkit.simulation.data.image_files import Pair, read_csv

NAME = "digits"
FILE = "digits.csv.gz"
"""The file in scikit-learn: 64 grey values and a label a line. Reading it avoids the import of sklearn."""


def load(root: Path | None = None, download: bool = False) -> Dataset:
    """X (1437, 8, 8) in [0, 1], ten classes: from root/digits.csv.gz if it is there, else from scikit-learn.

    ``download`` has no effect. Raises BoundkitError where scikit-learn is not installed.
    """
    if root is not None and (root / FILE).is_file():
        (grey, labels), source = read_csv(root / FILE, 8), str(root / FILE)
    else:
        paths, source = installed("scikit-learn", FILE), "the installed package scikit-learn"
        grey, labels = read_csv(paths[0], 8) if paths else _from_scikit_learn()
    (X, y), (test_X, test_y) = split(scaled(grey, 16.0), labels.astype(np.int64))
    return Dataset(NAME, X, y, test_X, test_y, 10, None, source)


def _from_scikit_learn() -> Pair:
    """Load through scikit-learn itself, where its files cannot be located."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise BoundkitError(
            "the data set 'digits' comes with scikit-learn, which is not installed; install boundkit[data]."
        ) from None
    digits = load_digits()
    return digits.images, digits.target
