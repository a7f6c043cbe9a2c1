"""``boundkit quiz``: the quiz of the lecture notes, answered by derivation."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.output import emit, print_json


def run(
    verbose: Annotated[
        bool, typer.Option("--verbose", help="every derived answer, and where the notes are right")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="machine-readable output")] = False,
) -> None:
    """More clients, larger batches, more epochs: does the error get better, is a round longer?"""
    import boundkit

    answer = boundkit.quiz()
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.report(verbose).to_text())
