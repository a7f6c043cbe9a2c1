"""``boundkit plan``: time to a target against local steps, and the outer optimiser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Picture, Preset, check_picture
from boundkit.cli.output import print_answer


def run(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LOG.csv...] [name=value]...",
            help="logs of runs as forecast reads them, with two values of tau; or constants of the theorem, "
            "as numbers or ranges: L=0.5:2 sigma=1:3 sigma_g=0.3 gap=2, and eta, eta_s; C with either",
        ),
    ] = None,
    step_time: Annotated[
        str | None, typer.Option(metavar="TIME", help="of a local step of a replica, such as 1.2s")
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(help="number of replicas m, of which C m take part in a round")
    ] = None,
    bandwidth: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="of a replica's link, or of a server's, such as 10Gbit/s"),
    ] = None,
    parameters: Annotated[
        str | None, typer.Option(metavar="COUNT", help="of the model, such as 7B or 350M")
    ] = None,
    payload: Annotated[
        str | None, typer.Option(metavar="SIZE", help="of an exchange, such as 14GB, instead of --parameters")
    ] = None,
    bytes_each: Annotated[float, typer.Option("--bytes", help="of a parameter in exchanges")] = 2.0,
    outer_bytes_each: Annotated[
        float | None, typer.Option("--outer-bytes", help="the same in exchanges of rounds, if quantised")
    ] = None,
    latency: Annotated[
        str | None, typer.Option(metavar="TIME", help="of a link, one way, such as 30ms  [default: 0]")
    ] = None,
    fragments: Annotated[int, typer.Option(help="parts that are exchanged one by one in a round")] = 1,
    late: Annotated[
        float, typer.Option(help="local steps by which an outer step may come late, during its exchange")
    ] = 0.0,
    overlap: Annotated[
        float, typer.Option(help="share of a step in which data-parallel training exchanges gradients")
    ] = 0.0,
    topology: Annotated[
        str,
        typer.Option(help="ring (all-reduce) or server", autocompletion=completion.choices("ring", "server")),
    ] = "ring",
    law: Annotated[
        str, typer.Option(help="law of a step's time: constant, exponential, uniform or shifted")
    ] = "constant",
    spread: Annotated[float | None, typer.Option(help="of --law uniform, as for cost --time")] = None,
    shift: Annotated[float | None, typer.Option(help="of --law shifted, as for cost --time")] = None,
    target: Annotated[
        float | None, typer.Option(help="the loss to reach, or the value of what the theorem bounds")
    ] = None,
    theorem: Annotated[
        str | None,
        typer.Option(
            help="whose bound gives the rounds, or whose terms are fitted to the logs",
            autocompletion=completion.theorems,
        ),
    ] = None,
    tau: Annotated[
        str | None, typer.Option(metavar="1,10,100", help="the local steps to compare  [default: many]")
    ] = None,
    price: Annotated[float | None, typer.Option(help="of a replica for an hour")] = None,
    curvature: Annotated[
        str | None,
        typer.Option(
            metavar="1e-4:0.1", help="eta lambda of local steps, least and largest, for the outer optimiser"
        ),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(metavar="m=100,eta=0.1", help="settings for which the logs have no column"),
    ] = None,
    quantity: Annotated[str, typer.Option(help="the column of the logs that falls")] = "loss",
    round_column: Annotated[str, typer.Option("--round", help="the column of the round")] = "round",
    seed: Annotated[int, typer.Option(help="seed of the bootstrap of a fit")] = 0,
    plot: Picture = None,
    preset: Preset = "presentation",
    as_json: AsJson = False,
) -> None:
    """Plan local SGD or DiLoCo: the best tau, time and cost.

    From the time of a step, the payload, bandwidth and latency: exact. The rounds come from logs (fitted) or
    from constants (a theorem); without both the answer is about the clock alone. The outer optimiser is exact
    on quadratics.
    """
    import boundkit
    from boundkit.algebra import BoundkitError
    from boundkit.cli.forecast import read_settings

    check_picture(plot, preset)
    logs = [Path(word) for word in words or [] if "=" not in word]
    if step_time is None or replicas is None or bandwidth is None:
        needed = {"step-time": step_time, "replicas": replicas, "bandwidth": bandwidth}
        missing = next(name for name, value in needed.items() if value is None)
        raise BoundkitError(f"a plan needs --{missing}, as in {_EXAMPLE}.")
    if parameters is None and payload is None:
        raise BoundkitError("a plan needs the size of an exchange: --parameters 7B, or --payload 14GB.")
    result = boundkit.plan(
        logs, step_time=step_time, replicas=replicas, bandwidth=bandwidth, payload=payload,
        parameters=parameters, bytes_each=bytes_each, outer_bytes_each=outer_bytes_each, latency=latency,
        fragments=fragments, late=late, overlap=overlap, topology=topology, law=law, spread=spread,
        shift=shift, target=target, constants=dict(_constant(word) for word in words or [] if "=" in word),
        theorem=theorem, given=read_settings("given", given or ""), quantity=quantity,
        round_column=round_column, tau=None if tau is None else _read_counts(tau), price=price,
        curvature=None if curvature is None else _ends("--curvature", curvature), seed=seed,
    )  # fmt: skip
    if plot is not None:
        from boundkit.figures.plan import figure
        from boundkit.figures.save import save

        save(figure(result, preset), plot)
    print_answer(result, as_json)


_EXAMPLE = "boundkit plan --step-time 1s --replicas 8 --bandwidth 10Gbit/s --parameters 7B"


def _constant(word: str) -> tuple[str, tuple[float, float]]:
    name, _, text = (part.strip() for part in word.partition("="))
    return name, _ends(name, text)


def _ends(name: str, text: str) -> tuple[float, float]:
    """A number, or the two ends of a range."""
    from boundkit.algebra import BoundkitError

    try:
        numbers = [float(part) for part in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise BoundkitError(f"{name} must be a number or a range such as 0.5:2, but {text!r} was given.")
    return numbers[0], numbers[-1]


def _read_counts(text: str) -> list[int]:
    from boundkit.algebra import BoundkitError

    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise BoundkitError(
            f"--tau must be whole numbers, such as 1,10,100, but {text!r} was given."
        ) from None
