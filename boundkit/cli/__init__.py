"""The command line: one file a command. ``main`` reports every mistake as one sentence.

This file is imported before a handler of signals is installed, so it imports next to nothing: ``main``
installs the handlers first and imports ``program``, which imports typer, afterwards.
"""

from __future__ import annotations

import gc
import sys

from boundkit.cli.commands import INTERRUPTED

NEW_OBJECTS = 50_000
"""Between two searches for garbage; at Python's 700, they take a sixth of the time of ``import sympy``."""

TYPE_CHECKING = False  # as in boundkit/__init__.py
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn


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
        if argv is None:
            gc.set_threshold(NEW_OBJECTS, *gc.get_threshold()[1:])
        from boundkit.cli.program import run

        code = run(list(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        pass
    if code == INTERRUPTED:
        from boundkit.cli import interruption

        code = interruption.conclude()
    if argv is None:
        gc.freeze()  # the process ends: nothing is left to be searched
    raise SystemExit(code)
