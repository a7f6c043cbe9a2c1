"""Runs a command in this process, as a shell would see it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest

from boundkit.cli import main


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: object
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


def run_command(*argv: str) -> Answer:
    """Run ``boundkit`` with these words here; its exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
        main(argv)
    return Answer(left.value.code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="session")
def boundkit() -> Command:
    """boundkit("predict", "fedavg_nonconvex", "--json") gives its exit code, stdout and stderr."""
    return run_command
