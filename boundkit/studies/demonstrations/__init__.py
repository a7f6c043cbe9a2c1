"""Runs that show one thing each, as small results with their numbers: what a sentence on a slide means.

A module here is a demonstration where a public function of it begins with the module's name; called without
arguments it gives a dataclass, or a list of rows. The first line of the module says what it shows. Nothing
is imported before it is asked for: names, sentences and options are read from the source.

One that takes long has ``quick`` (fewer rounds and replicas, a few seconds, less is told apart), ``jobs``
(processes) and ``progress`` (called with what is done, and of how much).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.algebra import BoundkitError
from boundkit.simulation.sweeps.backends import refuse_jobs
from boundkit.verification.tabular_result import TabularResult, tabulate_result

if TYPE_CHECKING:
    from boundkit.simulation.engines import Progress

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Every demonstration, by the alphabet."""
    return [file.stem for file in sorted(FOLDER.glob("[!_]*.py")) if _function(file) is not None]


def sentence(name: str) -> str:
    """What it shows. Raises BoundkitError for a name that is not there, with those near it."""
    said = ast.get_docstring(_parsed(_file(name))) or ""
    return said.partition("\n")[0]


def demonstration(name: str) -> Callable[..., Any]:
    """The function that runs it, with its defaults. Raises BoundkitError as ``sentence`` does."""
    function = _function(_file(name))
    assert function is not None
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{name}"), function.name)
    return found


def options(name: str) -> frozenset[str]:
    """The arguments that its function takes. Raises BoundkitError as ``sentence`` does."""
    function = _function(_file(name))
    assert function is not None
    return frozenset(argument.arg for argument in (*function.args.args, *function.args.kwonlyargs))


def _file(name: str) -> Path:
    from boundkit.algebra.errors import unknown

    known = names()
    if name not in known:
        raise unknown("demonstration", name, known)
    return FOLDER / f"{name}.py"


def _function(file: Path) -> ast.FunctionDef | None:
    functions = [node for node in _parsed(file).body if isinstance(node, ast.FunctionDef)]
    return next((function for function in functions if function.name.startswith(file.stem)), None)


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def demonstrate(
    name: str, *, quick: bool = False, jobs: int | None = None, progress: Progress | None = None
) -> TabularResult:
    """Run a demonstration: ``quick`` with fewer rounds and replicas, in ``jobs`` processes.

    Raises BoundkitError for a name that is not there, and for ``quick`` or ``jobs`` where it has none.
    """
    takes = options(name)
    if quick and "quick" not in takes:
        raise BoundkitError(f"{name} has no quicker form: it takes a few seconds as it is.")
    if jobs is not None and "jobs" not in takes:
        raise BoundkitError(f"{name} is one run, which is not shared out to jobs.")
    refuse_jobs(jobs)
    asked = {"quick": quick, "jobs": jobs or 1, "progress": progress}
    told = {option: value for option, value in asked.items() if option in takes}
    return tabulate_result(name, sentence(name), demonstration(name)(**told))
