"""``boundkit lecture``, as a lecturer types it."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from boundkit.cli import main

RECORDS = Path(__file__).parents[2] / "examples" / "records"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def boundkit(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["lecture", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_a_chapter_is_written_with_its_pictures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(RECORDS, "kept")
    words = ["out/lecture", "--chapter", "ahead", "--records", "kept", "--jobs", "1"]
    assert boundkit(*words, "--json") == 0
    page = Path("out/lecture/ahead.html").read_text()
    for side in ("light", "dark", "narrow"):
        assert f"pictures/power_of_choice_{side}.svg" in page
    told = json.loads(capsys.readouterr().out)
    assert told["open"] == "out/lecture/index.html"
    assert (
        sorted(str(p.relative_to("out/lecture")) for p in Path("out/lecture").rglob("*.*")) == told["files"]
    )
    assert {Path(p).suffix for p in told["files"]} == {".html", ".css", ".js", ".svg", ".csv", ".json"}
    assert [p.name for p in Path("out").iterdir()] == ["lecture"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["taken"], "taken holds other things than a lecture, such as thesis.tex; name a new folder."),
        (["."], "is where you are: name a new folder, such as lecture."),
        (["taken/thesis.tex"], "taken/thesis.tex is a file, but a lecture needs a folder."),
        (["out", "--chapter", "aheadd"], "unknown chapter 'aheadd'; did you mean 'ahead'?"),
        (["taken/thesis.tex/out", "--chapter", "ahead"], "cannot be written"),
        (["out", "--jobs", "0"], "jobs"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("taken").mkdir()
    Path("taken/thesis.tex").write_text("")
    assert boundkit(*words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert sorted(str(p) for p in Path().rglob("*")) == ["taken", "taken/thesis.tex"]


def test_a_missing_package_is_asked_for_with_its_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert boundkit("site") == 2
    message = "boundkit: the lecture needs jinja2, which is not installed: pip install 'boundkit[lecture]'.\n"
    assert capsys.readouterr().err == message
    assert not Path("site").exists()
