"""Bars on a terminal: one inside another has a line of its own, and none where nobody watches."""

import io
import sys

import pytest

from boundkit.cli import progress as bars
from boundkit.cli.progress import progress, silent


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal for this test; a fixture would lose it to pytest's own capture."""
    written = Terminal()
    monkeypatch.setattr(sys, "stderr", written)
    monkeypatch.setenv("TERM", "xterm")
    return written


def test_a_bar_inside_another_is_a_line_of_the_same_display(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with progress("outer") as outer:
        outer(1, 4)
        display = bars._RUNNING.get()
        assert display is not None
        with progress("inner") as inner:
            inner(2, 3)
            assert bars._RUNNING.get() is display
            assert [(t.description, t.completed, t.total) for t in display.tasks] == [
                ("outer", 1, 4),
                ("inner", 2, 3),
            ]
        assert [t.description for t in display.tasks] == ["outer"]
    assert bars._RUNNING.get() is None
    assert "outer" in terminal.getvalue()


def test_silence_and_files_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with silent(), progress("outer") as tell:
        tell(1, 2)
    assert terminal.getvalue() == ""
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with progress("outer") as tell:
        tell(1, 2)
    assert file.getvalue() == ""
