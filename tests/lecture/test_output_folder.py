"""A lecture takes the place of another lecture, and of nothing else."""

from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.lecture.output_folder import LIST, refuse_foreign, replace_site


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_lecture_makes_room_for_the_next(tmp_path: Path) -> None:
    place = tmp_path / "new" / "site"
    replace_site(place, {"index.html": "one", "assets/page.js": "", "gone.html": ""})
    replace_site(place, {"index.html": "two", "assets/page.js": b""})
    assert (place / "index.html").read_text() == "two"
    assert names(place) == ["assets/page.js", "index.html", LIST]
    assert [p.name for p in place.parent.iterdir()] == ["site"]


def test_what_somebody_put_into_a_lecture_is_not_lost(tmp_path: Path) -> None:
    place = tmp_path / "site"
    replace_site(place, {"index.html": "one"})
    (place / "notes.txt").write_text("mine")
    with pytest.raises(BoundkitError, match=r"holds other things than a lecture, such as notes\.txt"):
        replace_site(place, {"index.html": "two"})
    assert (place / "notes.txt").read_text() == "mine"
    assert (place / "index.html").read_text() == "one"


@pytest.mark.parametrize("listed", ["", "[1]", '{"a": 1}', None])
def test_a_folder_without_a_whole_list_is_somebody_elses(listed: str | None, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("my homepage")
    if listed is not None:
        (tmp_path / LIST).write_text(listed)
    with pytest.raises(BoundkitError, match="other things"):
        replace_site(tmp_path, {"index.html": ""})
    assert (tmp_path / "index.html").read_text() == "my homepage"


def test_the_folder_where_one_stands_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_site(tmp_path / "site", {"index.html": "one"})
    monkeypatch.chdir(tmp_path / "site")
    for here in (Path(), tmp_path / "site"):
        with pytest.raises(BoundkitError, match="is where you are"):
            replace_site(here, {"index.html": "two"})
    assert Path("index.html").read_text() == "one"


def test_files_and_places_below_them_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(BoundkitError, match="is a file, but a lecture needs a folder"):
        refuse_foreign(tmp_path / "thesis.tex")
    with pytest.raises(BoundkitError, match="cannot be written"):
        refuse_foreign(tmp_path / "thesis.tex" / "site")


@pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="needs Linux's /proc, which takes no file of root's"
)
def test_a_folder_that_only_seems_writable_is_refused() -> None:
    with pytest.raises(BoundkitError, match="/proc/site cannot be written"):
        refuse_foreign(Path("/proc/site"))


def test_a_lecture_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "site"
    replace_site(place, {"index.html": "one"})
    with pytest.raises(BoundkitError, match="cannot be written"):
        replace_site(place, {"a": "", "a/b": ""})  # a is a file and a folder
    assert names(place) == ["index.html", LIST]
    assert [p.name for p in tmp_path.iterdir()] == ["site"]
