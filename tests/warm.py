"""boundkit in processes that begin with sympy and more loaded, which takes longer than most commands do.

Each command has a process of its own, forked from one that has imported nothing of the house.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

Ended = tuple[int, str]
"""The exit code, and all that was said."""

_QUOTED = r"""'[^']*'|"[^"$`\\]*\""""
_OF_THE_SHELL = re.compile(r"[^\w\s./:,=+@%-]")

_SERVER = """
import gc, importlib, json, os, runpy, signal, sys
import sympy
sympy.Symbol("x") - 1  # loads more of it
for module in sys.argv[1:]:
    importlib.import_module(module)
gc.freeze()  # else whoever ends looks through all of it
for line in sys.stdin:
    words, place = json.loads(line)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        said = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        signal.alarm(600)
        sys.argv, sys.path[0] = ["boundkit", *words], os.getcwd()
        runpy.run_module("boundkit", run_name="__main__", alter_sys=True)
        raise SystemExit
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def plain(command: str) -> bool:
    """Whether a shell would do nothing with the command but take it apart.

    >>> plain('boundkit rate x --eta "1/(tau*L)"'), plain("boundkit list | cat"), plain("boundkit show $X")
    (True, False, False)
    """
    return not _OF_THE_SHELL.search(re.sub(_QUOTED, "", command))


@contextmanager
def warm(desk: Path, environment: Mapping[str, str], *loaded: str) -> Iterator[Callable[[str], Ended]]:
    """A function that runs one plain command of boundkit on the desk; ``loaded``: modules of others."""
    said = desk.parent / f"{desk.name}.said"
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, *loaded], cwd=desk, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        into, out = server.stdin, server.stdout

        def run(command: str) -> Ended:
            print(json.dumps([shlex.split(command)[1:], str(said)]), file=into, flush=True)
            code = out.readline()
            if not code:
                raise RuntimeError(f"what starts the commands died at: {command}")
            return int(code), said.read_text(encoding="utf-8", errors="replace")

        yield run
