"""What the pages show is what the program prints: one desk for all, in the order in which one reads."""

import doctest
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import run_command
from tests.docs.shown import agrees, consoles, files, sessions
from tests.docs.site import DOCS, page
from tests.readme import python_blocks
from tests.test_readme import SHOWN, desk, failed_python

__all__ = ["desk"]
OF_FILES = {"certificates", "new_theorem"}
"""Their Python is that of files, which tests of their own write."""
PAGES = [
    path.stem
    for path in sorted(DOCS.glob("*.md"))
    if path.stem not in OF_FILES and (python_blocks(page(path.stem)) or sessions(page(path.stem)))
]
PRINTED = {"rounds_to_target": "FedSGD", "sweeps": "'local_steps': 4} done"}
"""What Python prints there that no page shows."""


def test_the_front_page_shows_what_the_first_steps_show() -> None:
    shown = consoles(page("index"))
    assert shown
    assert set(shown) <= set(consoles(page("tutorial")))
    assert all(consoles(page(name)) for name in SHOWN)


@pytest.fixture
def at_the_desk(desk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(desk)
    yield desk
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.close("all")


def test_commands_print_what_is_shown(at_the_desk: Path) -> None:
    for name in SHOWN:
        for file, text in files(page(name)).items():
            Path(file).write_text(text, encoding="utf-8")
        for shown in consoles(page(name)):
            answer = run_command(*shlex.split(shown.command)[1:])
            assert answer.code == 0, f"{name}: $ {shown.command}\n{answer.err}"
            assert agrees(shown.output, answer.err + answer.out), f"{name}: $ {shown.command}\n{answer.out}"


@pytest.mark.usefixtures("at_the_desk")
@pytest.mark.parametrize("name", PAGES)
def test_the_python_of_a_page_runs_and_prints_what_is_shown(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for file, text in files(page(name)).items():
        Path(file).write_text(text, encoding="utf-8")
    assert failed_python(page(name)) == ""
    assert PRINTED.get(name, "") in capsys.readouterr().out
    examples = doctest.DocTestParser().get_doctest(sessions(page(name)), {}, name, name, 0)
    runner = doctest.DocTestRunner(verbose=False)
    said: list[str] = []
    runner.run(examples, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_the_run_that_is_shown_is_the_file_of_the_examples(desk: Path) -> None:
    import json

    from tests.readme import blocks

    shown = json.loads(next(block.text for block in blocks(page("tutorial")) if block.language == "json"))
    there = json.loads((desk / "examples" / "hundred_clients.json").read_text(encoding="utf-8"))
    assert {k: v for k, v in there.items() if k != "problem"} == {
        k: v for k, v in shown.items() if k != "problem"
    }
    assert there["problem"].keys() == shown["problem"].keys()


def test_the_reader_sees_a_difference() -> None:
    shown = consoles("```console\n$ boundkit a \\\n  b\nx\n...\ny\n$ boundkit c\n```\n")
    assert [one.command for one in shown] == ["boundkit a b", "boundkit c"]
    assert agrees(shown[0].output, "x\n1\n\n2\ny\n")
    assert not agrees(shown[0].output, "x\n1\ny\nz\n")
    assert files("into a file `a.py`:\n\n```python\nx = 1\n```\n") == {"a.py": "x = 1\n"}
