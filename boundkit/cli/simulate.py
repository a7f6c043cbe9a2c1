"""``boundkit simulate``: the trajectory of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli.options import (
    THEOREM_OR_FILE,
    Algorithm,
    Arrays,
    AsJson,
    Device,
    Dtype,
    Engine,
    Replicas,
    RunFile,
    Seed,
)
from boundkit.cli.output import emit, print_json, warn, warn_of_replicas

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.simulation.run import Run


def run(
    algorithm: Algorithm,
    run_file: RunFile,
    engine: Engine = "step",
    replicas: Replicas = 1,
    seed: Seed = None,
    device: Device = "cpu",
    dtype: Dtype = "float64",
    arrays: Arrays = "auto",
    jobs: Annotated[int, typer.Option(help="processes that share the replicas; no number depends on it")] = 1,
    draws: Annotated[
        str, typer.Option(help="of mini-batches: numpy's streams, or counter, on the device, for a GPU")
    ] = "streams",
    theorem: Annotated[
        str | None,
        typer.Option(
            metavar="THEOREM|FILE.py",
            help=f"{THEOREM_OR_FILE}: warn, after the answer, where the run is outside of it",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="write the JSON to this file; a .csv is a log for boundkit forecast")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate an algorithm: its trajectory, round by round."""
    import json

    from boundkit.algebra import BoundkitError
    from boundkit.cli.progress import progress
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text
    from boundkit.simulation.engines.memory import refuse_json
    from boundkit.simulation.run_file import read_run
    from boundkit.simulation.simulate import simulate
    from boundkit.simulation.training_log import write_log
    from boundkit.theorem_targets import theorem_of

    if out is not None:
        if out.suffix.lower() not in ("", ".json", ".csv"):
            raise BoundkitError(f"--out writes a .json or a .csv, not {out.name}.")
        refuse_unwritable(out)
    request = read_run(algorithm, run_file, seed)
    statement = None if theorem is None else theorem_of(theorem)
    is_log = out is not None and out.suffix.lower() == ".csv"
    if as_json or (out is not None and not is_log):
        refuse_json(request)
    with progress(f"{algorithm}, {request.rounds} rounds") as report_progress:
        trajectory = simulate(
            request, engine=engine, replicas=replicas, device=device, dtype=dtype,
            arrays=arrays, progress=report_progress, jobs=jobs, draws=draws,
        )  # fmt: skip
    wanted = as_json or (out is not None and not is_log)
    answer = trajectory.to_dict() | {"seed": request.seed} if wanted else {}
    if out is not None and is_log:
        write_log(out, request, trajectory)
    elif out is not None:
        write_text(out, json.dumps(answer, allow_nan=False))
    if as_json:
        print_json(answer)
    else:
        emit(trajectory.to_text() + (f"\n\nwritten to {out}" if out is not None else ""))
    if replicas > 1 and not trajectory.random:
        warn_of_replicas()
    if statement is not None:
        _warn_outside(statement, request)


def _warn_outside(theorem: Theorem, run: Run) -> None:
    """Warn in one line where a theorem does not apply to the run, or its step sizes are too large for it.

    The answer has been printed: every error here is a warning.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.verification.applicability import reasons_not_applicable, reasons_unsupported
    from boundkit.verification.verifier import step_condition

    try:
        reasons = reasons_unsupported(theorem) or reasons_not_applicable(theorem, run)
        if reasons:
            warn(f"{theorem.name} does not apply to this run: {'; '.join(reasons)}.")
            return
        outside = step_condition(theorem, run)
        if outside:
            warn(f"{theorem.name}: {outside[0].lower()}{outside[1:]}")
    except BoundkitError as error:
        warn(str(error))
    except Exception as error:
        warn(f"the conditions of {theorem.name} could not be evaluated on this run ({type(error).__name__}).")
