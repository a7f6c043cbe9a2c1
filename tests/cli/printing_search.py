"""The command line, where a search prints a line for every candidate: for tests that wait for one."""

from __future__ import annotations

import sys
from typing import Any

from boundkit.attack import search_state
from boundkit.attack.candidate import evaluate_candidate
from boundkit.cli import main


def run() -> None:
    """Run the command of this process."""

    def printing(*given: Any, **named: Any) -> Any:
        sys.stdout.write("candidate\n")
        sys.stdout.flush()
        return evaluate_candidate(*given, **named)

    vars(search_state)["evaluate_candidate"] = printing
    main()
