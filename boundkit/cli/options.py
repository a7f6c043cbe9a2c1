"""Arguments and options that several commands share, and the checks that go with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from boundkit.cli import completion

VALUES = (
    "name=value; a value is 3, or 1,2,5, or start:stop:count, or start:stop:count:log; "
    "vectors are tau_i=2,5,9"
)
"""The forms of a value, for help."""
SETTINGS = (
    "name=value; several values are 1,2,5 or start:stop:count or start:stop:count:log; "
    "a value may be a number, a word, true, false, null or a list in brackets"
)
"""The same of a setting of a run."""

SECONDS = 20.0
"""Of a search, where neither --budget nor --evaluations is given."""
THEOREM_OR_FILE = (
    "a theorem of boundkit list, or a FILE.py with theorems, which is executed as Python, with your rights"
)


def check_device(device: str) -> str:
    """The device. Raises BoundkitError for cuda where there is no GPU, whether or not it would be used."""
    if device != "cpu":
        from boundkit.simulation.engines.replica_rounds import resolve_device

        resolve_device(device)
    return device


def check_arrays(arrays: str) -> str:
    """The library of arrays. Raises BoundkitError for one that is unknown or not installed."""
    if arrays != "auto":
        from boundkit.simulation.arrays import check_library

        check_library(arrays)
    return arrays


TheoremName = Annotated[
    str,
    typer.Argument(metavar="THEOREM", help="a theorem of boundkit list", autocompletion=completion.theorems),
]
TheoremOrFile = Annotated[
    str,
    typer.Argument(metavar="THEOREM|FILE.py", help=THEOREM_OR_FILE, autocompletion=completion.theorems),
]
TheoremOrAll = Annotated[
    str | None,
    typer.Argument(
        metavar="[THEOREM|FILE.py]", help=f"{THEOREM_OR_FILE}; or --all", autocompletion=completion.theorems
    ),
]
AllTheorems = Annotated[bool, typer.Option("--all", help="every theorem of the catalogue")]
Values = Annotated[
    list[str] | None,
    typer.Argument(metavar="[name=value]...", help=VALUES, autocompletion=completion.assignments),
]
Eta = Annotated[str | None, typer.Option(help="rule for the client's step size, such as 'sqrt(m/(tau*T))/L'")]
ServerEta = Annotated[str | None, typer.Option("--eta_s", help="rule for the server's step size")]
Picture = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="draw it: .pdf, .svg or .png, all three without a suffix"),
]
Preset = Annotated[
    str,
    typer.Option(
        help="style of figures: presentation, paper (one column, 8 pt) or dark",
        autocompletion=completion.choices("presentation", "paper", "dark"),
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]
RunFile = Annotated[Path, typer.Argument(metavar="RUN.json", help="the run; docs/run_file.md has its fields")]
Algorithm = Annotated[
    str,
    typer.Argument(
        help="such as fedavg; docs/algorithms.md has them all", autocompletion=completion.algorithms
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        help="auto, exact, collapsed or step",
        autocompletion=completion.choices("auto", "exact", "collapsed", "step"),
    ),
]
Replicas = Annotated[int, typer.Option(help="independent runs, where the run is random")]
Seed = Annotated[int | None, typer.Option(help="seed of the random streams; the run's own by default")]
Device = Annotated[
    str,
    typer.Option(
        help="cpu, cuda or auto",
        callback=check_device,
        autocompletion=completion.choices("cpu", "cuda", "auto"),
    ),
]
Arrays = Annotated[
    str,
    typer.Option(
        help="library of a sampled run: numpy, torch, or auto (torch on a GPU and for torch modules)",
        callback=check_arrays,
        autocompletion=completion.choices("auto", "numpy", "torch"),
    ),
]
Dtype = Annotated[
    str, typer.Option(help="float64 or float32", autocompletion=completion.choices("float64", "float32"))
]

Jobs = Annotated[
    int | None, typer.Option(help="worker processes; one for each available processor by default")
]
Backend = Annotated[
    str | None,
    typer.Option(help="of the workers: loky (processes, the default), threading, multiprocessing, dask, ray"),
]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="of a running dask or ray cluster")]
Budget = Annotated[
    float | None,
    typer.Option(help="seconds of search for each theorem  [default: 20]", show_default=False),
]
Evaluations = Annotated[
    int | None, typer.Option(help="number of evaluations in place of seconds: the same on every machine")
]
SearchSeed = Annotated[int, typer.Option(help="seed of the random starts")]
Fresh = Annotated[bool, typer.Option("--fresh", help="compute again what --out holds already")]
Records = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="folder of records; by default out/records, and those of boundkit"),
]


def check_picture(path: Path | None, preset: str) -> None:
    """Raise BoundkitError, before any work, for an unknown preset or a picture that cannot be written."""
    if path is None and preset == "presentation":  # the default: no need of matplotlib
        return
    from boundkit.figures.save import refuse_unwritable_figure
    from boundkit.figures.style import check_preset

    check_preset(preset)
    if path is not None:
        refuse_unwritable_figure(path)


def refuse_unwritable_results(plot: Path | None, *files: Path | None) -> None:
    """Raise BoundkitError, before a long computation, for a picture or a file that cannot be written."""
    from boundkit.simulation.atomic_files import refuse_unwritable

    if plot is not None:
        from boundkit.figures.save import refuse_unwritable_figure

        refuse_unwritable_figure(plot)
    for file in files:
        if file is not None:
            refuse_unwritable(file)


def check_theorem_or_all(theorem: str | None, every: bool) -> None:
    """Raise BoundkitError unless either a theorem or all were given."""
    from boundkit.algebra import BoundkitError

    if theorem is None and not every:
        raise BoundkitError("name one theorem or a file that defines some, or ask for --all.")
    if theorem is not None and every:
        raise BoundkitError(f"{theorem} was named and --all was asked for, too: leave one of them out.")


def search_limits(budget: float | None, evaluations: int | None, seed: int) -> dict[str, Any]:
    """Arguments of a search. Raises BoundkitError where they are out of range, or both limits are given."""
    from boundkit.algebra import BoundkitError
    from boundkit.attack.search_state import refuse_limits

    if budget is not None and evaluations is not None:
        raise BoundkitError("a search ends by --budget or by --evaluations: give one of them, not both.")
    seconds = SECONDS if budget is None else budget
    refuse_limits(seconds, evaluations, seed)
    return {"budget": seconds, "evaluations": evaluations, "seed": seed}


def refuse_without_all(every: bool, **given: object) -> None:
    """Raise BoundkitError for an option that serves many theorems, where one was named."""
    from boundkit.algebra import BoundkitError

    for name, value in given.items():
        if value not in (None, False) and not every:
            raise BoundkitError(f"--{name} goes with --all: one theorem is done here and afresh.")


def workers_of(jobs: int | None, backend: str | None, scheduler: str | None) -> dict[str, int | str | None]:
    """Arguments of ``map_parallel``: on this machine, as many workers as there are processors.

    Raises BoundkitError for less than one worker, before anything is made.
    """
    from boundkit.simulation.sweeps.parallel_map import CLUSTERS, chosen_backend, refuse_jobs, usable_cpus

    refuse_jobs(jobs)
    local = chosen_backend(backend, scheduler) not in CLUSTERS
    return {"jobs": usable_cpus() if jobs is None and local else jobs, "backend": backend,
            "scheduler": scheduler}  # fmt: skip
