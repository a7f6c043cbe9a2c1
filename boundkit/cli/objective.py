"""``boundkit objective``: the objective that a sampling and aggregation minimises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Seed
from boundkit.cli.output import print_answer
from boundkit.simulation.aggregation_rules import RULES

if TYPE_CHECKING:
    from boundkit.simulation.selection.skew import Within


def run(
    algorithm: Annotated[
        str | None,
        typer.Argument(
            help="such as fedavg; docs/algorithms.md has them all", autocompletion=completion.algorithms
        ),
    ] = None,
    run_file: Annotated[
        Path | None,
        typer.Argument(metavar="RUN.json", help="the run; docs/run_file.md has its fields. Not with --p"),
    ] = None,
    p: Annotated[
        str | None, typer.Option("--p", metavar="0.6,0.3,0.1", help="without a run: the clients' weights")
    ] = None,
    tau: Annotated[
        str | None, typer.Option("--tau", metavar="5,2,9", help="local steps, one number or one a client")
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            help=f"of aggregation: {', '.join(RULES)}; weighted by default",
            autocompletion=completion.choices(*RULES),
        ),
    ] = None,
    participation_rate: Annotated[
        str | None, typer.Option("--C", help="C m clients a round, without replacement")
    ] = None,
    q: Annotated[
        str | None, typer.Option("--q", metavar="0.9,0.5,0.2", help="each client with its own probability")
    ] = None,
    count: Annotated[
        str | None, typer.Option("--count", help="so many draws a round, with replacement, by p")
    ] = None,
    epochs: Annotated[
        str | None, typer.Option("--epochs", help="in place of --tau, with --samples and --batch")
    ] = None,
    samples: Annotated[
        str | None, typer.Option("--samples", metavar="600,300,100", help="data of each client; gives p too")
    ] = None,
    batch: Annotated[str | None, typer.Option("--batch", help="size of a mini-batch")] = None,
    skew: Annotated[
        bool,
        typer.Option(
            "--skew", help="of a selection by losses: rho_bar, rho_tilde, Gamma, and the bias of FedAvg"
        ),
    ] = False,
    within: Annotated[
        str | None,
        typer.Option(metavar="hull|LOW,HIGH", help="with --skew, on a line: models in this interval alone"),
    ] = None,
    along: Annotated[
        bool,
        typer.Option("--along", help="with --skew: simulate the run once, and evaluate at its models too"),
    ] = False,
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Give the objective that a run minimises, and its limit.

    The exact limit of a run, the surrogate objective of small steps, and the true optimum. With --skew: how
    far selection by losses is from sampling, the bias that it allows, and its limit.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.algebra.errors import unknown
    from boundkit.simulation.algorithms import ALGORITHMS
    from boundkit.simulation.objective import objective
    from boundkit.simulation.run_file import read_run

    given = {
        "p": p,
        "tau": tau,
        "C": participation_rate,
        "q": q,
        "count": count,
        "epochs": epochs,
        "samples": samples,
        "batch": batch,
    }
    words = [f"{name}={text}" for name, text in given.items() if text is not None]
    if skew and algorithm != "fedavg":
        raise BoundkitError(f"--skew is about fedavg, but {algorithm!r} was given.")
    for option, chosen in {"within": within is not None, "along": along}.items():
        if chosen and not skew:
            raise BoundkitError(f"--{option} goes with --skew.")
    if run_file is None and (words or rule):
        for option, chosen in {"skew": skew, "seed": seed is not None}.items():
            if chosen:
                raise BoundkitError(f"--{option} goes with a RUN.json.")
        if algorithm is not None and algorithm not in ALGORITHMS:
            if not re.search("[A-Za-z]", algorithm):
                raise BoundkitError(
                    f"{algorithm!r} is no algorithm; values of an option are joined by commas, without "
                    "blanks, as in --p 0.6,0.3,0.1."
                )
            raise unknown("algorithm", algorithm, ALGORITHMS)
        answer = objective(algorithm, rule=rule, **_numbers(words))
        print_answer(answer, as_json)
        return
    if words or rule:
        name = words[0].partition("=")[0] if words else "rule"
        raise BoundkitError(f"--{name} is in place of a RUN.json, but both were given.")
    if algorithm is not None and run_file is None and algorithm.endswith(".json"):
        raise BoundkitError(
            f"the algorithm is missing before {algorithm}, as in boundkit objective fedavg {algorithm}."
        )
    if algorithm is None or run_file is None:
        raise BoundkitError(
            "objective needs an algorithm and a RUN.json, or the clients' weights, such as --p 0.6,0.3,0.1."
        )
    run = read_run(algorithm, run_file, seed)
    if skew:
        from boundkit.verification.selection_skew import measure_selection_skew

        print_answer(measure_selection_skew(run, _interval(within), along), as_json)
    else:
        print_answer(objective(run), as_json)


def _numbers(words: list[str]) -> dict[str, Any]:
    """The options with numbers: p, q and samples are lists, tau one of them or a number."""
    from boundkit.cli.parameter_values import read_words

    whole = {"tau", "count", "epochs", "samples", "batch"}
    values: dict[str, Any] = dict(read_words(words, whole, {"p", "tau", "q", "samples"}))
    for name in ("tau", "q"):
        if name in values and len(values[name]) == 1:
            values[name] = values[name][0]
    return values


def _interval(text: str | None) -> Within:
    from boundkit.algebra import BoundkitError

    if text is None:
        return None
    if text == "hull":
        return "hull"
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise BoundkitError(
            f"--within is hull, or two numbers such as -1,2.5, but {text!r} was given."
        ) from None
    return low, high
