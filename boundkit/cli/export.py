"""``boundkit export``: theorems in the words of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import check_theorem_or_all
from boundkit.cli.output import emit, print_json

if TYPE_CHECKING:
    from boundkit.algebra import Theorem

INDEX = "README.md"
"""The file that lists the pages, beside them."""


def run(
    theorem: Annotated[
        str | None,
        typer.Argument(help="a theorem of boundkit list; or --all", autocompletion=completion.theorems),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="latex, bibtex, json, markdown or javascript")
    ] = "latex",
    every: Annotated[bool, typer.Option("--all", help="every theorem, one file each; needs --out")] = False,
    out: Annotated[
        Path | None, typer.Option(help="write here: a file for one theorem, a folder for --all")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="machine-readable: what was written, or the text")
    ] = False,
) -> None:
    """Export theorems as LaTeX, BibTeX, JSON, Markdown, JS."""
    from boundkit.algebra import BoundkitError
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.export import FORMATS
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.theorems import catalogue
    from boundkit.theorems import theorem as named

    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    check_theorem_or_all(theorem, every)
    if theorem is None:
        if out is None:
            raise BoundkitError("--all writes one file a theorem: give the folder with --out.")
        refuse_unwritable(out / INDEX)
        written = _written(out, files(catalogue(), form))
    else:
        if out is not None:
            refuse_unwritable(out)
        text = _text(named(theorem), form)
        if out is None:
            if as_json:
                print_json({"theorem": theorem, "format": form, "text": text})
            else:
                emit(text.rstrip("\n"))
            return
        written = _written(out.parent, {out.name: text})
    if as_json:
        print_json({"format": form, "written": written})
    else:
        emit(written[0] if len(written) == 1 else f"{len(written)} files in {out}")


def files(theorems: Mapping[str, Theorem], form: str) -> dict[str, str]:
    """The text of each file by its name: one a theorem, and for Markdown the index of them."""
    from boundkit.analysis.export import FORMATS
    from boundkit.analysis.export.markdown import index

    ending = FORMATS[form][0]
    texts = {f"{name}{ending}": _text(theorem, form) for name, theorem in theorems.items()}
    return texts | ({INDEX: index(theorems)} if form == "markdown" else {})


def _text(theorem: Theorem, form: str) -> str:
    """A theorem in a format; in Markdown with the steps of its certificate."""
    from boundkit.analysis.export import export
    from boundkit.proofs.printing import theorem_page
    from boundkit.theorems.errata import errata_of

    return theorem_page(theorem) if form == "markdown" else export(theorem, form, errata_of(theorem.name))


def _written(folder: Path, texts: Mapping[str, str]) -> list[str]:
    from boundkit.simulation.atomic_files import write_text

    for name, text in texts.items():
        write_text(folder / name, text if text.endswith("\n") else text + "\n")
    return [str(folder / name) for name in texts]
