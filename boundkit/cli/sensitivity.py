"""``boundkit sensitivity``: the effect of a larger quantity on a bound."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Eta, ServerEta
from boundkit.cli.output import emit, print_answer, print_json


def run(
    theorem: Annotated[
        str | None,
        typer.Argument(
            metavar="[THEOREM]",
            help="a theorem of boundkit list; or --quiz",
            autocompletion=completion.theorems,
        ),
    ] = None,
    of: Annotated[str | None, typer.Option(help="these quantities alone, such as tau,C")] = None,
    eta: Eta = None,
    eta_s: ServerEta = None,
    tuned: Annotated[
        bool | None,
        typer.Option("--tuned/--no-tuned", help="at the best eta too; by default wherever eta is free"),
    ] = None,
    alike: Annotated[
        bool, typer.Option(help="for homogeneous clients, where the bound is written for heterogeneous ones")
    ] = False,
    quiz: Annotated[
        bool, typer.Option("--quiz", help="the questions of the lecture notes, answered by derivation")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="with --quiz: every derivation, and where the notes agree")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compute the effect of a larger quantity on a bound.

    Better, worse, or no effect; where it depends, in which region each.
    """
    from boundkit.algebra import BoundkitError

    if quiz:
        options = {"of": of, "eta": eta, "eta_s": eta_s, "tuned": tuned, "alike": alike or None}
        for name in ([] if theorem is None else [repr(theorem)]) + [
            f"--{n}" for n, v in options.items() if v is not None
        ]:
            raise BoundkitError(f"--quiz has its own theorems, so it takes no {name}.")
        _print_quiz(verbose, as_json)
        return
    if verbose:
        raise BoundkitError("--verbose goes with --quiz.")
    if theorem is None:
        raise BoundkitError("name a theorem of boundkit list, or ask for --quiz.")
    from boundkit.analysis.sensitivity import sensitivity
    from boundkit.theorems import theorem as named

    print_answer(sensitivity(named(theorem), of, eta=eta, eta_s=eta_s, tuned=tuned, alike=alike), as_json)


def _print_quiz(verbose: bool, as_json: bool) -> None:
    import boundkit

    answer = boundkit.quiz()
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.report(verbose).to_text())
