"""Files of figures: three formats, the same bytes every time, text that stays text, nothing half-written."""

import os
import stat
import struct
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from boundkit.algebra import BoundkitError
from boundkit.figures.bound_against_run import figure
from boundkit.figures.save import FORMATS, save
from boundkit.verification.record import Record
from tests.figures.pictures import texts

MAGIC = {".pdf": b"%PDF-1.", ".svg": b"<?xml", ".png": b"\x89PNG\r\n\x1a\n"}


@pytest.fixture(scope="module")
def page(record: Record) -> Figure:
    return figure(record)


@pytest.fixture(scope="module")
def written(page: Figure, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One figure in all formats, in a folder that was not there."""
    return save(page, tmp_path_factory.mktemp("figures") / "new" / "figure")


def test_no_suffix_means_all_three_and_nothing_else(written: list[Path]) -> None:
    assert [path.name for path in written] == [f"figure{suffix}" for suffix in FORMATS]
    assert sorted(path.suffix for path in written[0].parent.iterdir()) == sorted(MAGIC)
    for path in written:
        assert path.read_bytes().startswith(MAGIC[path.suffix])
        assert path.stat().st_size > 5000
    pdf, svg, _ = (path.read_bytes() for path in written)
    assert b">client drift" in svg
    assert b"font-family: 'DejaVu Sans'" in svg
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf


def test_a_suffix_in_any_case_says_what_is_written_with_the_rights_of_any_other_file(
    page: Figure, written: list[Path], tmp_path: Path
) -> None:
    (path,) = save(page, tmp_path / "new" / "figure.SVG")
    assert path == tmp_path / "new" / "figure.SVG"
    assert os.listdir(path.parent) == [path.name]
    assert path.read_bytes() == written[1].read_bytes(), "a figure that is written twice does not change"
    (tmp_path / "other").touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_the_same_record_gives_the_same_bytes_whatever_the_users_settings(
    record: Record, written: list[Path], tmp_path: Path
) -> None:
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 40, "lines.linewidth": 9, "axes.grid": False}):
        again = save(figure(record), tmp_path / "figure")
    for before, after in zip(written, again, strict=True):
        assert after.read_bytes() == before.read_bytes(), after.suffix
        assert b"Date" not in before.read_bytes()


@pytest.mark.parametrize(
    ("preset", "inches", "type_size"), [("hall", (13.33, 7.5), 15), ("paper", (3.35, 2.9), 8)]
)
def test_a_preset_has_its_size(
    record: Record,
    written: list[Path],
    tmp_path: Path,
    preset: str,
    inches: tuple[float, ...],
    type_size: int,
) -> None:
    page = figure(record, preset)
    assert tuple(page.get_size_inches()) == inches
    _, svg, png = written if preset == "hall" else save(page, tmp_path / "figure")
    assert f'width="{72 * inches[0]:g}pt" height="{72 * inches[1]:g}pt"' in svg.read_text()
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    assert width == pytest.approx(2133, abs=15)
    assert height / width == pytest.approx(inches[1] / inches[0], rel=0.01)
    sizes = {float(text.get_fontsize()) for text in texts(page)}
    assert sizes == {8} if preset == "paper" else min(sizes) >= type_size


def test_other_suffixes_and_folders_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for name in ("figure.jpg", "figure.tiff", "figure.pdf.gz", "v1.2"):
        with pytest.raises(BoundkitError, match=r"a figure is written as \.pdf, \.svg or \.png"):
            save(Figure(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BoundkitError, match="is a folder, but a figure needs the name of a file"):
        save(Figure(), tmp_path)
    file = tmp_path / "file"
    file.write_text("kept")
    with pytest.raises(BoundkitError, match=r"cannot be written: .+\.$"):
        save(Figure(), file / "figure.png")
    assert file.read_text() == "kept"


def test_a_figure_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    broken = Figure()
    broken.suptitle(r"$\nothing{$")
    with pytest.raises(ValueError, match="nothing"):
        save(broken, path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["figure.png"]
