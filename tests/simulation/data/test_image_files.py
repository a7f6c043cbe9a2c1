"""Files of images: the idx format and comma-separated values."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.data.image_sets import FILES, read_csv, read_idx, read_set
from tests.simulation.data.files import grey, idx, write_csv, write_idx_set

DAMAGED_IDX = [
    b"",
    b"\x00\x00\x08",
    b"\x00\x00\x0d\x01\x00\x00\x00\x01\x00\x00\x00\x00",  # floats
    idx(grey(0, 2))[:-1],
    idx(grey(0, 2)) + b"\x00",
    b"a text, and no idx file",
]
DAMAGED_GZIP = [b"not gzipped", gzip.compress(idx(grey(0, 2)))[:-20], b"\x1f\x8b\x08\x00" + b"a" * 30]
DAMAGED_CSV = ["", "1,2,3\n4,5\n", "a,b\n", "1,2,3\n", "300," * 64 + "1\n", "1," * 128 + "1\n"]


def test_written_files_are_read(tmp_path: Path) -> None:
    images, labels = grey(0, 5, side=7), np.arange(5)
    for name, raw in (("images.gz", gzip.compress(idx(images))), ("images-idx3-ubyte", idx(images))):
        (tmp_path / name).write_bytes(raw)
        np.testing.assert_array_equal(read_idx(tmp_path / name), images)
    write_csv(tmp_path / "a.csv.gz", images, labels)
    X, y = read_csv(tmp_path / "a.csv.gz", 7)
    np.testing.assert_array_equal(X, images)
    np.testing.assert_array_equal(y, labels)


def test_damaged_files_are_refused_by_name(tmp_path: Path) -> None:
    plain, zipped = tmp_path / "images", tmp_path / "images.gz"
    for raw in DAMAGED_IDX:
        plain.write_bytes(raw)
        zipped.write_bytes(gzip.compress(raw))
        for path in (plain, zipped):
            with pytest.raises(
                BoundkitError, match=f"{path} is not an idx file of unsigned bytes, or it breaks"
            ):
                read_idx(path)
    for raw in DAMAGED_GZIP:
        zipped.write_bytes(raw)
        with pytest.raises(BoundkitError, match="breaks off"):
            read_idx(zipped)
    path = tmp_path / "digits.csv.gz"
    for text in DAMAGED_CSV:
        path.write_bytes(gzip.compress(text.encode()))
        with pytest.raises(BoundkitError, match=f"{path} is not a file of grey values and labels"):
            read_csv(path, 8)


def test_a_set_needs_all_four_files_and_a_label_for_each_image(tmp_path: Path) -> None:
    write_idx_set(tmp_path / "a")
    (tmp_path / "a" / f"{FILES[2]}.gz").unlink()
    write_idx_set(tmp_path / "b", train=3)
    found = read_set([tmp_path / "none", tmp_path / "a", tmp_path / "b"])
    assert found is not None
    assert found[2] == tmp_path / "b"
    assert len(found[0][0]) == len(found[0][1]) == 3
    assert read_set([tmp_path / "a"]) is None
    (tmp_path / "b" / f"{FILES[1]}.gz").write_bytes(gzip.compress(idx(np.zeros(5, dtype=np.uint8))))
    with pytest.raises(BoundkitError, match=r"has 3 images, but 5 labels for them"):
        read_set([tmp_path / "b"])
