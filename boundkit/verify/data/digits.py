"""scikit-learn's digits: 1797 grey images of 8 x 8 points, values 0, ..., 16, of handwritten digits.

The test part of E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
Repository, 1998. A fifth, 360 images, is held out by the house's rule.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.verify.data.dataset import Dataset, scaled, split


def digits(root: Path | None = None, download: bool = False) -> Dataset:
    """X (1437, 8, 8) in [0, 1], ten classes. They come with scikit-learn: root and download change nothing.

    Raises BoundkitError where scikit-learn is not installed.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise BoundkitError(
            "the data set 'digits' comes with scikit-learn, which is not installed; install boundkit[data]."
        ) from None
    found = load_digits()
    (X, y), (test_X, test_y) = split(scaled(found.images, 16.0), found.target.astype(np.int64))
    return Dataset("digits", X, y, test_X, test_y, 10, None, "scikit-learn")
