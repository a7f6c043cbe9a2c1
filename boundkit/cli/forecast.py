"""``boundkit forecast``: the rest of a training run, and other settings, from its log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson
from boundkit.cli.output import emit, print_json


def run(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG.csv...", help="logs of runs, with the columns round and loss; never executed"
        ),
    ],
    target: Annotated[
        float | None, typer.Option(help="level of the loss to which rounds are counted")
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="tau=10,C=0.5", help="another setting to forecast; may be given several times"),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(
            metavar="m=100,eta=0.1", help="settings for which the logs have no column: m, C, tau, eta, eta_s"
        ),
    ] = None,
    rounds: Annotated[
        float | None, typer.Option(help="round at which the loss is forecast  [default: 3 times the log]")
    ] = None,
    quantity: Annotated[str, typer.Option(help="the column to forecast, which falls")] = "loss",
    round_column: Annotated[str, typer.Option("--round", help="the column of the round")] = "round",
    theorem: Annotated[
        str | None,
        typer.Option(
            help="a theorem of boundkit list, whose terms are fitted  [default: by the algorithm]",
            autocompletion=completion.theorems,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="seed of the bootstrap")] = 0,
    out: Annotated[Path | None, typer.Option(help="write the JSON to this file")] = None,
    as_json: AsJson = False,
) -> None:
    """Forecast training runs from their logs.

    The terms of a theorem, with constants fitted to the logs: rounds to a target, other settings, the level
    that the loss tends to, and which terms the data identify. An answer that they do not support is refused.
    """
    import json

    import boundkit
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text

    if out is not None:
        refuse_unwritable(out)
    result = boundkit.forecast(
        logs, target=target, at=[read_settings("at", text) for text in at or []], rounds=rounds,
        quantity=quantity, round_column=round_column, given=read_settings("given", given or ""),
        theorem=theorem, seed=seed,
    )  # fmt: skip
    answer = result.to_dict() if as_json or out is not None else {}
    if out is not None:
        write_text(out, json.dumps(answer, allow_nan=False))
    if as_json:
        print_json(answer)
    else:
        emit(result.to_text() + (f"\n\nwritten to {out}" if out is not None else ""))


def read_settings(option: str, text: str) -> dict[str, float]:
    """Settings such as tau=10,C=0.5."""
    from boundkit.algebra import BoundkitError

    settings: dict[str, float] = {}
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, _, value = (part.strip() for part in word.partition("="))
        try:
            settings[name] = float(value)
        except ValueError:
            raise BoundkitError(f"--{option} has {word!r}, but settings are given as tau=10,C=0.5.") from None
    return settings
