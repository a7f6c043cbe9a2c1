"""docs/new_theorem.md: its theorem passes, its session runs, and what it promises is said."""

from pathlib import Path

import pytest

from tests.readme import commands, python_blocks
from tests.test_readme import ROOT, desk, failed_commands, failed_python, run

__all__ = ["desk"]

TEXT = (ROOT / "docs" / "new_theorem.md").read_text(encoding="utf-8")
FILE = python_blocks(TEXT)[0].text


@pytest.fixture
def with_file(desk: Path) -> Path:
    (desk / "mine.py").write_text(FILE, encoding="utf-8")
    return desk


def test_the_file_passes_every_check(with_file: Path) -> None:
    assert "boundkit check mine.py" in commands(TEXT)
    assert not failed_commands(TEXT, with_file)
    said = run(["boundkit", "check", "mine.py"], with_file).stdout
    shown = TEXT.split("$ boundkit check mine.py\n")[1].split("  ...")[0]
    for line in shown.splitlines():
        assert line.split("(loss")[0] in said


def test_the_session_runs(with_file: Path) -> None:
    assert failed_python(TEXT, with_file) == ""


def test_the_reduction_is_the_one_that_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    first, *_, last = python_blocks(TEXT)
    exec(f"import boundkit as bk\n{first.text}\n{last.text}", {})
    assert capsys.readouterr().out.strip() == TEXT.split("This prints `")[1].split("`")[0]


def test_the_slip_that_it_names_is_refused(with_file: Path) -> None:
    (with_file / "mine.py").write_text(FILE.replace("sigma**2 / m", "sigma / m"), encoding="utf-8")
    ran = run(["boundkit", "check", "mine.py"], with_file)
    assert ran.returncode == 1
    assert "'stochastic noise', L*eta*sigma/m, has dimension [F]/[x]" in ran.stdout
