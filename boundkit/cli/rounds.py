"""``boundkit rounds``: the number of rounds until the bound is at most a target, as a number or a formula."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Eta, ServerEta, Values
from boundkit.cli.output import emit, print_answer, print_sharper, warn


def run(
    theorem: Annotated[
        str | None,
        typer.Argument(
            metavar="[THEOREM]",
            help="a theorem of boundkit list; without it, --formula gives a table of all",
            autocompletion=completion.theorems,
        ),
    ] = None,
    values: Values = None,
    eps: Annotated[float | None, typer.Option(help="the target: the bound is to be at most this")] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="with the best eta for each number of rounds")
    ] = False,
    formula: Annotated[
        bool,
        typer.Option(
            "--formula", help="T as a formula in eps, tau T, and the largest tau with linear speed-up"
        ),
    ] = False,
    algorithms: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="with --formula: compare algorithms by the order of their rounds, in every setting",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="of a comparison: text, markdown or latex",
            autocompletion=completion.choices("text", "markdown", "latex"),
        ),
    ] = "text",
    eta: Eta = None,
    eta_s: ServerEta = None,
    as_json: AsJson = False,
) -> None:
    """Find how many rounds bring the bound below EPS.

    With --formula: for any target, in symbols. A rule for a step size goes with it; without a rule, a free
    step size is chosen for the target. With --algorithms: a table as papers print it, with the assumptions.
    """
    from boundkit.algebra import BoundkitError

    if formula:
        for given in [*(values or []), *([] if eps is None else ["--eps"]), *(["--tuned"] if tuned else [])]:
            raise BoundkitError(f"--formula keeps every quantity as a symbol, so it takes no {given}.")
        if algorithms is None:
            _print_formula(theorem, eta, eta_s, as_json)
            return
        for other in [theorem, *(r and f"rule {r}" for r in (eta, eta_s))]:
            if other is not None:
                raise BoundkitError(f"--algorithms compares all theorems on them, so it takes no {other}.")
        _print_comparison(algorithms, form, as_json)
        return
    if algorithms is not None:
        raise BoundkitError("--algorithms compares formulas: give --formula too.")
    for name, rule in {"eta": eta, "eta_s": eta_s}.items():
        if rule is not None:
            raise BoundkitError(f"--{name} is a rule, for --formula; a number is written as {name}=0.1.")
    if theorem is None or eps is None:
        raise BoundkitError(
            "rounds needs a theorem and a target, as in boundkit rounds THEOREM --eps 0.01, or --formula."
        )
    from boundkit.analysis.rounds import rounds_to
    from boundkit.cli.parameter_values import read_values, warn_of_merged_points
    from boundkit.theorems import theorem as named

    statement = named(theorem)
    parameters = read_values(values or [], statement)
    answer = rounds_to(statement, eps, tuned=tuned, **parameters)
    warn_of_merged_points(values or [], parameters)
    if answer.outside:
        warn(f"the step size is outside the condition of {theorem}, so the bound is not proved.")
    print_answer(answer, as_json)
    if not as_json:
        print_sharper(statement)


def _print_formula(theorem: str | None, eta: str | None, eta_s: str | None, as_json: bool) -> None:
    from boundkit.analysis.complexity import complexity_or_table
    from boundkit.theorems import catalogue
    from boundkit.theorems import theorem as named

    statement = None if theorem is None else named(theorem)
    print_answer(complexity_or_table(statement, catalogue().values(), eta, eta_s), as_json)


def _print_comparison(algorithms: str, form: str, as_json: bool) -> None:
    from boundkit.algebra.errors import unknown
    from boundkit.interface import complexity

    if form not in _FORMATS:
        raise unknown("format", form, _FORMATS)
    names = [name.strip() for name in algorithms.split(",")]
    comparison = complexity(algorithms=names)
    if as_json or form == "text":
        print_answer(comparison, as_json)
    else:
        table = comparison.wide_report()
        emit((table.to_markdown() if form == "markdown" else table.to_latex()).rstrip("\n"))


_FORMATS = ("text", "markdown", "latex")
