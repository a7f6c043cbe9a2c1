"""The theorems that a user's own file defines. The file is run, as Python would run it."""

from __future__ import annotations

import sys
import tokenize
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import CodeType, ModuleType

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.input_file import MOST_SOURCE, check_input_file

_MODULE = "boundkit_checked_file"
_LETTERS = (
    "; letters of the house come from boundkit.algebra.notation, and one of your own is a "
    "boundkit.algebra.Quantity (docs/new_theorem.md shows one)"
)


class StatementError(BoundkitError):
    """A theorem that was refused when the file built it. The message says in which line, and why."""


def theorems_in(path: str | Path, known: Mapping[str, Theorem] | None = None) -> list[Theorem]:
    """The theorems that a file defines, in its order; what it only imports from ``known`` is left out.

    Raises BoundkitError where the file cannot be read or run, or defines no theorem, and StatementError
    where a theorem of it is refused; each names the file and the line.
    """
    path = Path(path)
    module = ModuleType(_MODULE)
    module.__file__ = str(path)
    code = compile_file(path)
    with _as_module(module, path), redirect_stdout(sys.stderr):  # what the file prints is not our answer
        try:
            exec(code, vars(module))
        except BoundkitError as error:
            raise StatementError(f"{_place(path, error)}{error}") from None
        except SystemExit:
            raise BoundkitError(f"{path} leaves Python instead of defining a theorem.") from None
        except Exception as error:
            said = f"{_place(path, error)}{type(error).__name__}: {_line(error)}"
            raise BoundkitError(f"{said}{_LETTERS if isinstance(error, NameError) else ''}.") from None
    found = {id(v): v for v in vars(module).values() if isinstance(v, Theorem)}
    theorems = [theorem for theorem in found.values() if (known or {}).get(theorem.name) is not theorem]
    if not theorems:
        raise BoundkitError(f"{path} defines no theorem; give one a name, as in THEOREM = Theorem(...).")
    names = [theorem.name for theorem in theorems]
    for name in names:
        if names.count(name) > 1:
            raise BoundkitError(f"{path} defines two theorems called {name!r}; a name is for one.")
    return theorems


def compile_file(path: Path) -> CodeType:
    """The code of a file. Raises BoundkitError where it cannot be read, or is no Python."""
    check_input_file(path, MOST_SOURCE)
    try:
        with tokenize.open(path) as file:
            return compile(file.read(), str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise BoundkitError(f"{path} cannot be read: {error.strerror or error}.") from None
    except SyntaxError as error:
        where = f"{path}, line {error.lineno}" if error.lineno else str(path)
        text = f": {error.text.strip()}" if error.text and error.text.strip() else ""
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
    """The line of the file in which an error came up."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"{path}, line {lines[-1]}: " if lines else f"{path}: "


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".") or "no more is said"
