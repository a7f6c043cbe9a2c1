"""``boundkit new-theorem``: a file that is a whole theorem, to be made one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json


def run(
    name: Annotated[str, typer.Argument(help="what the theorem is called, as in my_sgd_nonconvex")],
    like: Annotated[
        str | None, typer.Option(metavar="THEOREM", help="start from this theorem of boundkit list")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="write here; NAME.py in this folder by default")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable: what was written")] = False,
) -> None:
    """Write a file that states a whole, true theorem, to be changed into one's own and checked."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.theorem_template import started
    from boundkit.simulation.atomic_files import refuse_unwritable, replacing

    path = Path(f"{name}.py") if out is None else out
    if path.suffix != ".py":
        raise BoundkitError(f"{path} does not end in .py, as a file of theorems does.")
    refuse_unwritable(path)
    text = started(name, like)
    if path.exists():
        raise BoundkitError(f"{path} is there already and stays as it is; give another file with --out.")
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"theorem": name, "like": like, "written": str(path)})
    else:
        emit(f"{path} states {like or 'the bound of FedAvg'} under your name; change it, then\n"
             f"  boundkit check {path}")  # fmt: skip
