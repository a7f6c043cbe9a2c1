import gzip
from pathlib import Path

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.data.image_files import FILES, read_idx, read_set
from tests.simulation.data.files import grey, idx, write_idx_set


@pytest.mark.parametrize("zipped", [True, False])
def test_what_was_written_is_read(zipped: bool, tmp_path: Path) -> None:
    array = grey(0, 5, side=7)
    path = tmp_path / ("images.gz" if zipped else "images-idx3-ubyte")
    path.write_bytes(gzip.compress(idx(array)) if zipped else idx(array))
    np.testing.assert_array_equal(read_idx(path), array)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00\x00\x08",
        b"\x00\x00\x0d\x01\x00\x00\x00\x01\x00\x00\x00\x00",  # floats
        idx(grey(0, 2))[:-1],
        idx(grey(0, 2)) + b"\x00",
        b"a text, and no idx file",
    ],
)
@pytest.mark.parametrize("zipped", [True, False])
def test_other_files_are_refused_by_name(raw: bytes, zipped: bool, tmp_path: Path) -> None:
    path = tmp_path / ("images.gz" if zipped else "images")
    path.write_bytes(gzip.compress(raw) if zipped else raw)
    with pytest.raises(BoundkitError, match=f"{path} is not an idx file of unsigned bytes, or it breaks off"):
        read_idx(path)


@pytest.mark.parametrize(
    "raw", [b"not gzipped", gzip.compress(idx(grey(0, 2)))[:-20], b"\x1f\x8b\x08\x00" + b"a" * 30]
)
def test_a_damaged_gz_is_refused(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "images.gz"
    path.write_bytes(raw)
    with pytest.raises(BoundkitError, match="breaks off"):
        read_idx(path)


def test_a_folder_counts_only_with_all_four_files(tmp_path: Path) -> None:
    write_idx_set(tmp_path / "a")
    (tmp_path / "a" / f"{FILES[2]}.gz").unlink()
    write_idx_set(tmp_path / "b", train=3)
    found = read_set([tmp_path / "none", tmp_path / "a", tmp_path / "b"])
    assert found is not None
    assert found[2] == tmp_path / "b"
    assert len(found[0][0]) == len(found[0][1]) == 3
    assert read_set([tmp_path / "a"]) is None


def test_images_need_a_label_each(tmp_path: Path) -> None:
    write_idx_set(tmp_path)
    (tmp_path / f"{FILES[1]}.gz").write_bytes(gzip.compress(idx(np.zeros(5, dtype=np.uint8))))
    with pytest.raises(BoundkitError, match=r"has 6 images, but 5 labels for them"):
        read_set([tmp_path])
