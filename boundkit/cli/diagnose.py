"""``boundkit diagnose``: which source of heterogeneity hurts a run most."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.options import Arrays, AsJson, Device, Dtype, Seed
from boundkit.cli.output import emit, print_json

if TYPE_CHECKING:
    from boundkit.simulation.run import Run


def run(
    subjects: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN.json|FILE.py|LOG.csv...",
            help="a run; a Python file of your own with model, loss, clients and settings, which is "
            "executed, with your rights; or logs of runs, as forecast reads them, with --target",
        ),
    ],
    algorithm: Annotated[
        str, typer.Option(help="such as fedavg; docs/algorithms.md has them all")
    ] = "fedavg",
    theorem: Annotated[
        str | None, typer.Option(help="the theorem whose terms are compared; one that applies by default")
    ] = None,
    rivals: Annotated[
        str | None, typer.Option(help="algorithms to run on the same draws, by commas; none for no others")
    ] = None,
    replicas: Annotated[int, typer.Option(help="runs of each, at least 2, for the intervals")] = 10,
    target: Annotated[
        float | None, typer.Option(help="of a log: level of the loss to which rounds are counted")
    ] = None,
    given: Annotated[
        str | None, typer.Option(metavar="m=100,eta=0.1", help="of a log: settings without a column")
    ] = None,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    arrays: Arrays = "auto",
    jobs: Annotated[int, typer.Option(help="processes that share the replicas")] = 1,
    out: Annotated[Path | None, typer.Option(help="write the JSON to this file")] = None,
    as_json: AsJson = False,
) -> None:
    """Estimate which source of error costs a run most.

    By runs without that source and by theory, and what to change; of a log by fitted constants.
    """
    import json

    import boundkit
    from boundkit.algebra import BoundkitError
    from boundkit.cli.progress import progress
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text

    if out is not None:
        refuse_unwritable(out)
    subject = subjects[0]
    if all(each.suffix == ".csv" for each in subjects):
        _diagnose_logs(subjects, target, given, theorem, out, as_json)
        return
    if len(subjects) > 1:
        raise BoundkitError(
            f"{len(subjects)} files were given, but diagnose takes one RUN.json, one FILE.py, or logs (.csv)."
        )
    for option, value in {"target": target, "given": given}.items():
        if value is not None:
            raise BoundkitError(f"--{option} goes with a log, and {subject.name} is none.")
    request = _build_request(subject, algorithm, seed)
    names = None if rivals is None else [n for n in rivals.split(",") if n not in ("", "none")]
    with progress(f"diagnose {subject.name}") as report_progress:
        result = boundkit.diagnose(
            request, theorem=theorem, rivals=names, replicas=replicas, device=device, dtype=dtype,
            arrays=arrays, jobs=jobs, progress=report_progress,
        )  # fmt: skip
    if out is not None:
        write_text(out, json.dumps(result.to_dict(), allow_nan=False))
    if as_json:
        print_json(result.to_dict())
    else:
        emit(result.to_text() + (f"\n\nwritten to {out}" if out is not None else ""))


def _diagnose_logs(
    logs: list[Path], target: float | None, given: str | None, theorem: str | None, out: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    import json

    import boundkit
    from boundkit.algebra import BoundkitError
    from boundkit.cli.forecast import read_settings
    from boundkit.simulation.atomic_files import write_text

    if target is None:
        raise BoundkitError("a log is diagnosed by rounds to a target: give one, as in --target 0.4.")
    result = boundkit.diagnose(
        logs, theorem=theorem, target=target, given=read_settings("given", given or "")
    )
    if out is not None:
        write_text(out, json.dumps(result.to_dict(), allow_nan=False))
    if as_json:
        print_json(result.to_dict())
    else:
        emit(result.to_text() + (f"\n\nwritten to {out}" if out is not None else ""))


def _build_request(subject: Path, algorithm: str, seed: int | None) -> Run:
    """The run of a RUN.json, or of a Python file with the arguments of ``bk.diagnose``."""
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.run_file import read_run

    if subject.suffix == ".csv":
        raise BoundkitError(
            f"{subject} is a log, but diagnose runs a RUN.json or a FILE.py; boundkit forecast reads logs."
        )
    if subject.suffix != ".py":
        return read_run(algorithm, subject, seed)
    from boundkit.studies.diagnosis import read_own

    return read_own(subject, algorithm, seed)
