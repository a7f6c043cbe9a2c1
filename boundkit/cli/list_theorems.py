"""``boundkit list``: the theorems of the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.options import AsJson
from boundkit.cli.output import emit, print_json, print_table


def run(
    algorithm: Annotated[str | None, typer.Option(help="only theorems on this algorithm")] = None,
    assume: Annotated[
        str | None, typer.Option(help="only theorems with all these assumptions, joined by commas")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the theorems, with claims, constants and sources."""
    from boundkit.algebra import PROVENANCES
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.statement import summary_row
    from boundkit.theorems import about, catalogue
    from boundkit.theorems.catalogue import proof_status

    theorems = list((catalogue() if algorithm is None else about(algorithm)).values())
    if algorithm is not None and not theorems:
        raise unknown("algorithm", algorithm, {t.algorithm for t in catalogue().values()})
    if assume is not None:
        names = [name.strip() for name in assume.split(",")]
        known = {a.name for t in catalogue().values() for a in t.assumptions}
        for name in names:
            if name not in known:
                raise unknown("assumption", name, known)
        theorems = [t for t in theorems if t.assumes(*names)]
    theorems.sort(key=lambda t: t.order_level)
    rows = [{**summary_row(t), "standing": proof_status(t)} for t in theorems]
    if as_json:
        print_json(rows)
        return
    header = ["name", "title", "claim", "kind", "standing", "source"]
    lines = [
        [*(str(row[key]) for key in header[:-1]), f"{t.source.authors[0]} {t.source.year}"]
        for row, t in zip(rows, theorems, strict=True)
    ]
    print_table(header, lines, left=len(header))
    emit(f"\n{len(lines)} theorem{'' if len(lines) == 1 else 's'}")
    recalled = sum(row["constants"] == "recalled" for row in rows)
    if recalled:
        emit(f"{recalled} recalled: {PROVENANCES['recalled']}.")
