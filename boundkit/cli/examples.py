"""``boundkit examples``: copy the files that README and documentation use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json

FILES = Path(__file__).resolve().parents[1] / "examples"


def run(
    outdir: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="the folder to write to; examples by default")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="overwrite files of the same names")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable: what was written")] = False,
) -> None:
    """Copy example runs, a model, notebooks and records.

    They are the files of README and documentation, whose commands then run unchanged.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.simulation.atomic_files import refuse_unwritable, replacing

    folder = outdir or Path("examples")
    targets = {file: folder / file.relative_to(FILES) for file in example_files()}
    present = [target for target in targets.values() if target.exists()]
    if present and not force:
        others = f" and {len(present) - 1} more" if len(present) > 1 else ""
        raise BoundkitError(
            f"{present[0]}{others} would be overwritten; name another folder, or give --force."
        )
    for target in targets.values():
        refuse_unwritable(target)
    for file, target in targets.items():
        with replacing(target) as beside:
            beside.write_bytes(file.read_bytes())
    if as_json:
        print_json({"written": [str(target) for target in targets.values()]})
    else:
        emit(f"{len(targets)} files in {folder}")


def example_files() -> list[Path]:
    """The files that are copied, in order."""
    return sorted(
        file for file in FILES.rglob("*") if file.suffix in {".csv", ".json", ".md", ".py"} and file.is_file()
    )
