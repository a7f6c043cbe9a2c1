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


def test_a_suffix_says_what_is_written(page: Figure, tmp_path: Path) -> None:
    for suffix in (".svg", ".png", ".SVG"):
        path = tmp_path / suffix[1:] / f"figure{suffix}"
        assert save(page, path) == [path]
        assert path.read_bytes().startswith(MAGIC[suffix.lower()])
        assert os.listdir(path.parent) == [path.name]


def test_the_same_record_gives_the_same_bytes(record: Record, written: list[Path], tmp_path: Path) -> None:
    for before, again in zip(written, save(figure(record), tmp_path / "figure"), strict=True):
        assert again.read_bytes() == before.read_bytes(), again.suffix
        assert b"Date" not in before.read_bytes()


def test_a_figure_that_is_written_twice_does_not_change(page: Figure, tmp_path: Path) -> None:
    one, other = (save(page, tmp_path / name)[0].read_bytes() for name in ("one.svg", "other.svg"))
    assert one == other


def test_text_stays_text_and_fonts_are_whole(written: list[Path]) -> None:
    pdf, svg, _ = (path.read_bytes() for path in written)
    assert b">client drift" in svg
    assert b"font-family: 'DejaVu Sans'" in svg
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf


def test_the_users_own_settings_do_not_leak_into_the_file(record: Record, tmp_path: Path) -> None:
    (plain,) = save(figure(record), tmp_path / "plain.svg")
    with mpl.rc_context({"svg.fonttype": "path", "font.size": 40, "lines.linewidth": 9, "axes.grid": False}):
        (under,) = save(figure(record), tmp_path / "under.svg")
    assert plain.read_bytes() == under.read_bytes()


@pytest.mark.parametrize(
    ("preset", "inches"), [("hall", (13.33, 7.5)), ("dark", (13.33, 7.5)), ("paper", (3.35, 2.9))]
)
def test_a_preset_has_its_size(
    record: Record, tmp_path: Path, preset: str, inches: tuple[float, float]
) -> None:
    page = figure(record, preset)
    assert tuple(page.get_size_inches()) == inches
    (svg,) = save(page, tmp_path / "figure.svg")
    assert f'width="{72 * inches[0]:g}pt" height="{72 * inches[1]:g}pt"' in svg.read_text()
    (png,) = save(page, tmp_path / "figure.png")
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    assert width == pytest.approx(2133, abs=15)
    assert height / width == pytest.approx(inches[1] / inches[0], rel=0.01)


def test_paper_type_is_eight_points(record: Record) -> None:
    from tests.figures.pictures import texts

    assert {text.get_fontsize() for text in texts(figure(record, "paper"))} == {8}
    assert min(float(text.get_fontsize()) for text in texts(figure(record, "hall"))) >= 15


def test_another_suffix_is_refused_and_nothing_written(page: Figure, tmp_path: Path) -> None:
    for name in ("figure.jpg", "figure.tiff", "figure.pdf.gz", "v1.2"):
        with pytest.raises(BoundkitError, match=r"a figure is written as \.pdf, \.svg or \.png"):
            save(page, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match="is a folder, but a figure needs the name of a file"):
        save(Figure(), tmp_path)


def test_a_place_that_cannot_be_written_is_refused_in_one_sentence(tmp_path: Path) -> None:
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


def test_the_file_has_the_rights_of_any_other(page: Figure, tmp_path: Path) -> None:
    (path,) = save(page, tmp_path / "figure.svg")
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
