"""Options that every command which simulates shares, and what each means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RunFile = Annotated[Path, typer.Argument(metavar="RUN.json", help="the run; docs/run_file.md has its fields")]
Engine = Annotated[str, typer.Option(help="auto, exact, collapsed or step")]
Replicas = Annotated[int, typer.Option(help="independent runs, where the run is random")]
Seed = Annotated[int | None, typer.Option(help="seed of the random streams; the run's own by default")]
Device = Annotated[str, typer.Option(help="cpu, cuda or auto")]
Dtype = Annotated[str, typer.Option(help="float64 or float32")]
AsJson = Annotated[bool, typer.Option("--json", help="machine-readable output")]
