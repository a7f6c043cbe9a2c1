"""The command line: one file a command. ``main`` reports every mistake as one sentence.

This file is imported before a handler of signals is installed, so it imports next to nothing: ``main``
installs the handlers first and imports ``program``, which imports typer, afterwards.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as in boundkit/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

COMMANDS: dict[str, str] = {
    "list": "list_theorems",
    "show": "show",
    "predict": "predict",
    "tune": "tune",
    "rounds": "rounds",
    "rate": "rate",
    "complexity": "complexity",
    "regimes": "regimes",
    "sensitivity": "sensitivity",
    "time": "round_time",
    "quiz": "quiz",
    "compare": "compare",
    "costs": "costs",
    "assumptions": "assumptions",
    "find": "find",
    "simulate": "simulate",
    "objective": "objective",
    "skew": "skew",
    "new-theorem": "new_theorem",
    "check": "check",
    "reductions": "reductions",
    "demonstrate": "demonstrate",
    "verify": "verify",
    "falsify": "falsify",
    "mutate": "mutate",
    "worst-case": "worst_case",
    "ledger": "ledger",
    "sweep": "sweep",
    "rounds-to-target": "rounds_to_target",
    "diagnose": "diagnose",
    "figure": "figure",
    "gallery": "whole_gallery",
    "lecture": "lecture",
    "export": "export",
}
"""The module of each command, in the order in which help lists them."""

DONE, FELL_SHORT, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code.

    0: done; 1: a check fell short; 2: bad input, with one sentence on stderr; 130: interrupted (Ctrl-C);
    143: ended by SIGTERM. Without ``argv``, the command is that of the process, whose handlers of SIGINT and
    SIGTERM are replaced; with ``argv`` no handler is touched.
    """
    code = INTERRUPTED
    try:
        from boundkit.cli import interruption

        interruption.start(own_process=argv is None)
        from boundkit.cli.program import run

        code = run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        pass
    if code == INTERRUPTED:
        from boundkit.cli import interruption

        code = interruption.conclude()
    raise SystemExit(code)
