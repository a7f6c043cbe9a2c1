"""Demonstrations: small numerical experiments that illustrate one statement each.

A module of this package is a demonstration if a public function of it begins with the module's name; called
without arguments it returns a dataclass or a list of rows. The first line of the module is the statement.
Names, statements and options are read from the source, so that no module is imported before it runs.

A long demonstration takes ``quick`` (fewer rounds and replicas, a few seconds, less is resolved), ``jobs``
(processes) and ``progress`` (called with the number of finished runs and their total).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.algebra import BoundkitError
from boundkit.simulation.sweeps.parallel_map import refuse_jobs
from boundkit.verification.tabular_result import TabularResult, tabulate_result

if TYPE_CHECKING:
    from boundkit.analysis.progress import Progress

FOLDER = Path(__file__).parent

RENAMED: dict[str, str] = {
    "echo": "echo_weights",
    "fair_choice": "selection_fairness",
    "groups_in_turn": "cyclic_groups_on_digits",
    "lying_clients": "label_flipping",
    "memories_on_digits": "stored_updates_on_digits",
    "memory_floors": "error_floors",
    "more_candidates": "number_of_candidates",
    "turns": "cyclic_groups",
    "two_alike_clients": "equal_hessians",
    "unequal_work": "unequal_local_steps",
    "unlike_texts": "heterogeneous_texts",
    "who_is_away": "client_availability",
}
"""New names of renamed demonstrations."""


def names() -> list[str]:
    """Names of all demonstrations, sorted."""
    return list(_names(FOLDER))


@cache
def _names(folder: Path) -> tuple[str, ...]:
    return tuple(file.stem for file in sorted(folder.glob("[!_]*.py")) if _function(file) is not None)


def sentence(name: str) -> str:
    """The statement that a demonstration illustrates. Raises BoundkitError for an unknown name."""
    docstring = ast.get_docstring(_parsed(_file(name))) or ""
    return docstring.partition("\n")[0]


def demonstration(name: str) -> Callable[..., Any]:
    """The function of a demonstration. Raises BoundkitError for an unknown name."""
    function = _function(_file(name))
    assert function is not None
    runner: Callable[..., Any] = getattr(import_module(f"{__name__}.{name}"), function.name)
    return runner


def options(name: str) -> frozenset[str]:
    """The arguments of its function. Raises BoundkitError for an unknown name."""
    function = _function(_file(name))
    assert function is not None
    return frozenset(argument.arg for argument in (*function.args.args, *function.args.kwonlyargs))


def _file(name: str) -> Path:
    from boundkit.algebra.errors import unknown

    if name in RENAMED:
        raise BoundkitError(f"the demonstration {name} is now {RENAMED[name]}.")
    if name not in _names(FOLDER):
        raise unknown("demonstration", name, names())
    return FOLDER / f"{name}.py"


def _function(file: Path) -> ast.FunctionDef | None:
    functions = [node for node in _parsed(file).body if isinstance(node, ast.FunctionDef)]
    return next((function for function in functions if function.name.startswith(file.stem)), None)


@cache
def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def demonstrate(
    name: str, *, quick: bool = False, jobs: int | None = None, progress: Progress | None = None
) -> TabularResult:
    """Run a demonstration: ``quick`` with fewer rounds and replicas where it has many, in ``jobs`` processes.

    Raises BoundkitError for a name that is not there, and for ``jobs`` where it is one run.
    """
    takes = options(name)
    if jobs is not None and "jobs" not in takes:
        raise BoundkitError(f"{name} is one run, which is not shared out to jobs.")
    refuse_jobs(jobs)
    arguments = {"quick": quick, "jobs": jobs or 1, "progress": progress}
    accepted = {option: value for option, value in arguments.items() if option in takes}
    return tabulate_result(name, sentence(name), demonstration(name)(**accepted))
