"""Execution of a user's own Python file, with the user's rights, and the theorems that it defines.

No other module executes an input file.
"""

from __future__ import annotations

import os
import re
import sys
import tokenize
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import shorten
from boundkit.algebra.extras import missing_package
from boundkit.analysis.input_file import MOST_SOURCE, check_input_file

ENDING = ".py"
"""How the name of a file ends that may be executed; no other file is."""
_MODULE = "boundkit_checked_file"


class StatementError(BoundkitError):
    """An error of boundkit while the file was executed. The message names the line and the reason."""


def execute(path: str | Path, defines: str, unknown_name: str = "") -> dict[str, Any]:
    """Execute a file as Python does, and return the names that it defines.

    Its ``__name__`` is not ``"__main__"``, its neighbours can be imported meanwhile, and what it prints goes
    to stderr.

    Parameters
    ----------
    path
        A regular file whose name ends in ``.py``.
    defines
        What the file is needed for, in words of a message.
    unknown_name
        Advice for a file that uses a name that it does not define.

    Raises
    ------
    StatementError
        Where the file gives boundkit something that it refuses.
    BoundkitError
        Where the file must not or cannot be executed, or fails. Messages name the file and the line.
    """
    path = Path(path)
    code = compile_file(path)
    module = ModuleType(_MODULE)
    module.__file__ = str(path)
    with _as_module(module, path), redirect_stdout(sys.stderr):  # what the file prints is not our answer
        try:
            exec(code, vars(module))
        except BoundkitError as error:
            raise StatementError(f"{_place(path, error)}{error}") from None
        except SystemExit:
            raise BoundkitError(f"{path} leaves Python instead of defining {defines}.") from None
        except ModuleNotFoundError as error:
            missing = missing_package(error, "the file") or f"{type(error).__name__}: {_line(error)}."
            raise BoundkitError(f"{_place(path, error)}{missing}") from None
        except Exception as error:
            message = f"{_place(path, error)}{_reason(error)}"
            advice = f"; {unknown_name}" if unknown_name and isinstance(error, NameError) else ""
            raise BoundkitError(f"{message}{advice}.") from None
    return vars(module)


def compile_file(path: Path) -> CodeType:
    """The code of a file.

    Raises BoundkitError where its name does not end in ``.py``, it cannot be read, or it is no Python.
    """
    if os.path.isdir(path):  # of a name that is too long, Path.is_dir raises OSError
        raise BoundkitError(f"{path} cannot be read: it is not a file.")
    if not path.name.endswith(ENDING):
        raise BoundkitError(f"{path} is not executed: the name of a Python file ends in {ENDING}.")
    check_input_file(path, MOST_SOURCE)
    try:
        with tokenize.open(path) as file:
            return compile(file.read(), str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise BoundkitError(f"{path} cannot be read: {error.strerror or error}.") from None
    except SyntaxError as error:
        where = f"{path}, line {error.lineno}" if error.lineno else str(path)
        text = f": {shorten(error.text.strip())}" if error.text and error.text.strip() else ""
        raise BoundkitError(f"{where} is no Python ({error.msg}){text}") from None
    except (ValueError, MemoryError, RecursionError) as error:
        raise BoundkitError(f"{path} is no Python ({_line(error)}).") from None


@contextmanager
def _as_module(module: ModuleType, path: Path) -> Iterator[None]:
    """The file's neighbours can be imported while it runs, and dataclasses in it find their module."""
    folder = str(path.resolve().parent)
    sys.modules[_MODULE] = module
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        del sys.modules[_MODULE]


def _place(path: Path, error: BaseException) -> str:
    """The line of the file in which an error was raised."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"{path}, line {lines[-1]}: " if lines else f"{path}: "


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".") or "without a message"


_MISSING = re.compile(r"(?:\w+\.)*?(\w+)(?:\.__init__)?\(\) missing \d+ required [a-z -]+ (arguments?): (.+)")


def _reason(error: BaseException) -> str:
    """The error as Python names it; a call without an argument that it needs, as a sentence does."""
    match = _MISSING.fullmatch(_line(error)) if isinstance(error, TypeError) else None
    return (
        f"{match[1]} lacks the {match[2]} {match[3]}" if match else f"{type(error).__name__}: {_line(error)}"
    )


_QUANTITIES = (
    "the quantities of boundkit come from boundkit.algebra.notation, and one of your own is a "
    "boundkit.algebra.Quantity (docs/new_theorem.md shows one)"
)


def theorems_in(path: str | Path, known: Mapping[str, Theorem] | None = None) -> list[Theorem]:
    """The theorems that a file defines, in its order, without those that it imports from ``known``.

    Raises BoundkitError where the file cannot be read or executed, or defines no theorem, and StatementError
    for an invalid theorem; each names the file and the line.
    """
    defined = execute(path, "a theorem", _QUANTITIES)
    distinct = {id(v): v for v in defined.values() if isinstance(v, Theorem)}
    theorems = [theorem for theorem in distinct.values() if (known or {}).get(theorem.name) is not theorem]
    if not theorems:
        raise BoundkitError(f"{path} defines no theorem; give one a name, as in THEOREM = Theorem(...).")
    names = [theorem.name for theorem in theorems]
    for name in names:
        if names.count(name) > 1:
            raise BoundkitError(f"{path} defines two theorems called {name!r}; names must differ.")
    return theorems
