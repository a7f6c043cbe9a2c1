"""What a command gives back on stdout and stderr."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.analysis.predict import Prediction


def emit(text: str) -> None:
    """Print to stdout; a reader who left early (``| head``) is no error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        forget_stdout()


def forget_stdout() -> None:
    """Send the rest of stdout nowhere, so that the interpreter's last flush stays quiet as well."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def print_json(value: Any) -> None:
    """Print one JSON value. A nan in it is a mistake of ours, and raises ValueError."""
    emit(json.dumps(value, allow_nan=False, ensure_ascii=False))


def print_answer(answer: Any, as_json: bool) -> None:
    """Print a result: its JSON, or its report."""
    if as_json:
        print_json(answer.to_dict())
    else:
        emit(answer.to_text())


def print_sharper(theorem: Theorem) -> None:
    """Print the names of theorems that are sharper than this one, if there are any.

    Only those are loaded whose name continues that of the theorem by ``_sharp``.
    """
    from boundkit.analysis.reductions.graph import sharper_theorems
    from boundkit.theorems import theorem as named
    from boundkit.theorems.catalogue import names

    candidates = [named(name) for name in names() if name.startswith(f"{theorem.name}_sharp")]
    if sharper := sharper_theorems(theorem, candidates):
        emit(f"sharper, under conditions of its own: {', '.join(sharper)}")


def warn(message: str) -> None:
    """One line on stderr."""
    from boundkit.algebra.errors import shorten_quotations

    print(f"warning: {' '.join(shorten_quotations(message).split())}", file=sys.stderr)


def warn_outside(prediction: Prediction) -> None:
    """Warn where the steps, or other values, are outside the conditions of the theorem."""
    outside, statement = prediction.outside, prediction.theorem
    if not outside:
        return
    where = f"at {outside} of {prediction.points} points" if prediction.axes else "here"
    what = (
        "the step size is outside the condition of"
        if "eta" in {q.name for q in statement.quantities}
        else "the values are outside the conditions of"
    )
    warn(f"{what} {statement.name} {where}, so the bound is not proved.")


def warn_of_replicas() -> None:
    """Warn that a run is deterministic, so that more than one replica has no effect."""
    warn("the run is deterministic, or its expectation exact, so --replicas has no effect.")


@contextmanager
def warnings_in_one_line() -> Iterator[None]:
    """Warnings of the library, without the line of code that raised them."""
    with warnings.catch_warnings():
        before = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, UserWarning):
                warn(str(message))
            else:
                before(message, category, *where, **more)

        warnings.showwarning = show
        yield


def print_table(header: list[str], rows: list[list[str]], left: int = 1) -> None:
    """A table that fits the terminal, or aligned text where something else reads."""
    from boundkit.report.text import align_columns, fit_columns

    if not sys.stdout.isatty():
        emit(align_columns(header, rows, left))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(markup=False, highlight=False)
    head, rule, body = fit_columns(header, rows, console.width, left).partition("─")
    if console.options.ascii_only:
        rule = "-"
        body = body.replace("─", "-")
    console.print(Text(head.rstrip(), "bold"), soft_wrap=True)
    console.print(rule + body, soft_wrap=True)
