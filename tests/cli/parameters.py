"""Commands and their parameters, from the command line's own table, and words by which each is reached."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from boundkit.cli.commands import COMMANDS
from boundkit.cli.program import parsers
from boundkit.figures.gallery import GALLERY

EXAMPLES = Path(__file__).parents[2] / "examples"
THEOREM = "fedavg_surrogate_optimum"
"""A theorem of which every command answers at once."""
RUN = "two_clients.json"
"""A run that takes next to no time; ``prepare`` puts it into the folder of a test."""
LOG = "training.csv"
"""A training log; ``prepare`` writes it."""
OUTPUTS = {"out", "plot", "page", "report", "summary", "save_run", "outdir", "folder", "record", "records"}
"""Parameters that are written, or written where nothing can be read."""

_TINY = {
    "E": ["--E=1"], "B": ["--B=inf"], "clients": ["--clients=2"], "eta": ["--eta=1"], "jobs": ["--jobs=1"],
    "rounds": ["--rounds=1"], "replicas": ["--replicas=1"], "partition": ["--partition=iid"],
}  # fmt: skip
_USUAL: dict[str, dict[str, list[str]]] = {
    "list": {},
    "show": {"theorem": [THEOREM]},
    "predict": {"theorem": [THEOREM]},
    "tune": {"theorem": ["sgd_nonconvex"]},
    "rounds": {"theorem": ["sgd_nonconvex"], "eps": ["--eps=0.5"]},
    "rate": {"theorem": ["sgd_nonconvex"]},
    "regimes": {"theorem": ["sgd_nonconvex"], "x": ["T"], "y": ["sigma"]},
    "sensitivity": {"theorem": ["sgd_nonconvex"]},
    "compare": {"words": ["sgd_nonconvex", "local_sgd_nonconvex"]},
    "cost": {"words": ["fedavg"]},
    "graph": {"names": ["sgd_nonconvex"]},
    "find": {},
    "simulate": {"algorithm": ["fedavg"], "run_file": [RUN]},
    "objective": {"algorithm": ["fedavg"], "run_file": [RUN]},
    "new-theorem": {"name": ["mine"]},
    "check": {"targets": [THEOREM], "evaluations": ["--evaluations=1"]},
    "demonstrate": {"name": ["equal_hessians"]},
    "verify": {"theorem": [THEOREM], "quick": ["--quick"]},
    "attack search": {"theorem": [THEOREM], "evaluations": ["--evaluations=1"]},
    "attack mutants": {"theorem": [THEOREM], "evaluations": ["--evaluations=1"]},
    "attack worst-case": {"theorem": ["sgd_nonconvex"]},
    "proof": {"theorem": ["fedavg_nonconvex"]},
    "sweep": {"algorithm": ["fedavg"], "run_file": [RUN], "jobs": ["--jobs=1"]},
    "rounds-to-target": _TINY,
    "diagnose": {"subject": [RUN], "replicas": ["--replicas=2"], "rivals": ["--rivals=none"]},
    "forecast": {"logs": [LOG]},
    "plan": {
        "step_time": ["--step-time=1s"],
        "replicas": ["--replicas=2"],
        "bandwidth": ["--bandwidth=1GB/s"],
        "payload": ["--payload=1GB"],
    },
    "figure": {"name": ["assumptions"]},
    "lecture": {"outdir": ["site"], "chapter": ["--chapter=ahead"], "jobs": ["--jobs=1"]},
    "export": {"theorem": ["sgd_nonconvex"]},
    "examples": {"outdir": ["copied"]},
}
"""Words of each command by parameter: with them it answers, and in next to no time where it can."""
_OTHER: dict[tuple[str, str], dict[str, list[str]]] = {
    ("verify", name): {"every": ["--all"], "run_file": ["none.json"]}
    for name in ("report", "summary", "scheduler", "backend")
}
"""The same where a parameter goes with others; without a run, --all would take minutes."""


def prepare(folder: Path) -> None:
    """Put the run and the log that ``words`` names into a folder."""
    shutil.copy(EXAMPLES / RUN, folder / RUN)
    rows = "".join(f"{t},{1 / (1 + t / 3)}\n" for t in range(20))
    (folder / LOG).write_text(f"round,loss\n{rows}")


@cache
def parameters(command: str) -> list[Any]:
    """The parameters of a command that take a value, as click has them."""
    return [
        parameter
        for parameter in parsers(command.split())[1][command].params
        if parameter.name != "help" and not getattr(parameter, "is_flag", False)
    ]


def places(*kinds: str) -> Iterator[tuple[str, Any, list[str]]]:
    """Every parameter of every command whose type is one of ``kinds``, with the words that go with it.

    A figure's record and run are parameters of every figure that reads them.
    """
    for command in COMMANDS:
        for parameter in parameters(command):
            if parameter.type.name not in kinds:
                continue
            name = parameter.name.removesuffix("_file")
            figures = [f for f, e in GALLERY.items() if name in e.options] if command == "figure" else []
            for figure in figures:
                yield command, parameter, [figure, *_theorem(figure)]
            if not figures:
                yield command, parameter, []


def words(command: str, parameter: Any, value: str, figure: list[str]) -> list[str]:
    """The words of a command line on which one parameter has a value, and those it needs have usual ones."""
    given = dict(_OTHER.get((command, parameter.name), _USUAL[command]))
    if figure:
        given = {"name": figure, "out": ["--out=drawn.csv"]}
    given[parameter.name] = [
        value if parameter.param_type_name == "argument" else f"{parameter.opts[-1]}={value}"
    ]
    arguments = [p.name for p in parameters(command) if p.param_type_name == "argument"]
    in_order = sorted(given, key=lambda name: arguments.index(name) if name in arguments else len(arguments))
    return [*command.split(), *(word for name in in_order for word in given[name])]


def _theorem(figure: str) -> list[str]:
    return {"bound_against_run": [THEOREM], "waterfall": ["fedavg_nonconvex"]}.get(figure, [])
