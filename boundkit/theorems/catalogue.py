r"""The theorems of this folder, by name. Adding a file adds a theorem, and its tests."""

from __future__ import annotations

import json
import os
import pkgutil
import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown

_FOLDER = Path(__file__).parent
CHECKED = _FOLDER / "checked"
"""Stored results of the checker of proofs, one JSON file a theorem."""
MACHINE_CHECKED = "machine-checked"
"""The proof status of a theorem whose certificate was proved, step by step."""
RENAMED: dict[str, str] = {
    "biased_selection_strongly_convex_decaying_corrected": "biased_selection_strongly_convex_decaying_sharp",
    "biased_selection_strongly_convex_decaying_long_steps": "biased_selection_strongly_convex_decaying_sharp",
    "biased_selection_strongly_convex_double": "biased_selection_strongly_convex_decaying_sharp",
    "biased_selection_strongly_convex_rigorous": "biased_selection_strongly_convex_decaying_sharp",
    "biased_selection_strongly_convex_sharp": "biased_selection_strongly_convex_decaying_sharp",
    "clusterfedvarp_nonconvex_sharper": "clusterfedvarp_nonconvex_sharp",
    "cyclic_pl_first": "cyclic_pl",
    "fedavg_nonconvex_mean_walk": "fedavg_nonconvex_sharp",
    "fedavg_nonconvex_sharper": "fedavg_nonconvex_sharp",
    "fedawe_nonconvex_auxiliary_corrected": "fedawe_nonconvex_auxiliary",
    "fedawe_nonconvex_corrected": "fedawe_nonconvex",
    "fednova_nonconvex_surrogate_any_solver": "fednova_nonconvex_surrogate_sharp",
    "fedvarp_nonconvex_long_steps": "fedvarp_nonconvex_sharp",
    "fedvarp_nonconvex_repaired": "fedvarp_nonconvex_sharp",
    "fedvarp_nonconvex_sharper": "fedvarp_nonconvex_sharp",
    "scaffold_nonconvex_sharper": "scaffold_nonconvex_sharp",
}
"""Old names of theorems, with the names of today; what was removed implies no more than its successor,
but for FedVARP's, whose steps were longer."""
_NOT_STATEMENTS = {"catalogue"}
_ALGORITHM = re.compile(r'^    algorithm="(\w+)"', re.MULTILINE)


@cache
def names() -> tuple[str, ...]:
    """The names of all theorems, sorted.

    >>> "fedavg_nonconvex" in names()
    True
    """
    return tuple(
        sorted(
            module.name
            for module in pkgutil.iter_modules([str(_FOLDER)])
            if not module.ispkg and module.name not in _NOT_STATEMENTS and not module.name.startswith("_")
        )
    )


def theorem(name: str) -> Theorem:
    """Read one theorem of the catalogue.

    Parameters
    ----------
    name : str
        Its name, as ``boundkit list`` prints it.

    Returns
    -------
    Theorem
        The theorem, a frozen value.

    Raises
    ------
    BoundkitError
        For an unknown name, with near ones.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.theorem("sgd_nonconvex").bound.total
    L*eta*sigma**2/m + 2*gap/(T*eta)
    """
    if name not in names():
        raise unknown_theorem(name)
    statement = import_module(f"{__package__}.{name}").THEOREM
    if not isinstance(statement, Theorem) or statement.name != name:
        raise BoundkitError(f"the file {name}.py must build one THEOREM called {name!r}.")
    return statement


@cache
def stored_check(name: str) -> dict[str, Any] | None:
    """The stored result of the machine's check of a theorem's proof; None where there is none."""
    try:
        content: dict[str, Any] = json.loads((CHECKED / f"{name}.json").read_text(encoding="utf-8"))
    except OSError:
        return None
    return content


def proof_status(theorem: Theorem) -> str:
    """How sure a theorem of the catalogue is: machine-checked, or the provenance of its constants.

    >>> proof_status(theorem("fedavg_nonconvex_partial_sharp")), proof_status(theorem("fedprox_nonconvex"))
    ('machine-checked', 'derived')
    """
    record = stored_check(theorem.name)
    return MACHINE_CHECKED if record and record["verdict"] == "proved" else theorem.constants


def lower_bounds(algorithm: str) -> tuple[Theorem, ...]:
    """The lower bounds of an algorithm. Only files whose name says that they hold one are read.

    >>> "fedavg_convex_gap_lower" in [bound.name for bound in lower_bounds("fedavg")]
    True
    """
    candidates = [name for name in names() if name.startswith(f"{algorithm}_") and name.endswith("_lower")]
    return tuple(bound for bound in map(theorem, candidates) if bound.algorithm == algorithm)


def unknown_theorem(name: str) -> BoundkitError:
    """The error for a name that is not in the catalogue: near names, or what the file of that name is.

    >>> str(unknown_theorem("sgd_nonconvx")).startswith("unknown theorem 'sgd_nonconvx'; did you mean 'sgd_")
    True
    >>> str(unknown_theorem("qqq"))
    "unknown theorem 'qqq'; no name is near, and boundkit list has them all."
    """
    if name in RENAMED:
        return BoundkitError(f"the theorem {name} is now {RENAMED[name]}.")
    candidates = [each for each in names() if f"_{name}_" in f"_{each}_"]
    if len(candidates) > 1:
        width = max(map(len, candidates))
        lines = [f"  {each:<{width}}  {theorem(each).title}" for each in candidates]
        return BoundkitError(
            f"unknown theorem {name!r}; {len(candidates)} theorems have it in their name.", lines
        )
    near = str(unknown("theorem", name, names()))
    if "did you mean" not in near:
        near = f"unknown theorem {name!r}; no name is near, and boundkit list has them all."
    file = f"{name}.py"
    if "/" not in name and os.path.isfile(file):
        return BoundkitError(f"unknown theorem {name!r}; did you mean the file {file}?")
    if os.path.isdir(name):
        return BoundkitError(near.replace("unknown theorem", "a folder is no theorem:", 1))
    if not os.path.isfile(name):
        return BoundkitError(near)
    if name.endswith(".py"):
        return BoundkitError(
            f"{name!r} is a file, but a name from boundkit list is needed here; boundkit check, verify "
            "and attack take files."
        )
    if _is_run(name):
        return BoundkitError(
            f"{name!r} is a run file and no theorem; the name of a theorem comes first, as in boundkit "
            f"verify THEOREM {shlex.quote(name)}."
        )
    return BoundkitError(
        f"{name!r} is a file that states no theorem: give a name from boundkit list, or a Python file, whose "
        "name ends in .py; a run file comes after it, as in boundkit verify THEOREM RUN.json."
    )


def _is_run(path: str) -> bool:
    """Whether a file looks like a RUN.json: a JSON object with a problem."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "problem" in content


class Catalogue(dict[str, Theorem]):
    """Theorems by name; a dict that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        from boundkit.report import Cell, Report, Table, Tex

        rows: list[list[Cell]] = [
            [name, Tex(t.claim.latex, t.claim.plain), t.kind, t.constants, str(t.source)]
            for name, t in self.items()
        ]
        return Report((Table(["theorem", "bounds", "kind", "constants", "source"], rows),)).to_html()


def catalogue() -> Catalogue:
    """Read all theorems of the catalogue, by name.

    Returns
    -------
    Catalogue
        A mapping from names to theorems, which shows itself as a table.

    Raises
    ------
    BoundkitError
        Where a theorem file is invalid.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.catalogue()["sgd_nonconvex"].algorithm
    'minibatch_sgd'
    """
    return Catalogue({name: theorem(name) for name in names()})


def about(algorithm: str) -> dict[str, Theorem]:
    """The theorems about an algorithm, by name; files that say they are about another are not built.

    >>> list(about("vrlsgd"))
    ['vrl_sgd_nonconvex']
    """
    found = {name: theorem(name) for name in names() if _written_about(name) in (algorithm, None)}
    return {name: statement for name, statement in found.items() if statement.algorithm == algorithm}


def _written_about(name: str) -> str | None:
    """The algorithm that a file says in so many words; None where it takes that of another theorem."""
    try:
        algorithms = _ALGORITHM.findall((_FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    except OSError:  # installed without its sources
        return None
    return algorithms[0] if len(algorithms) == 1 else None
