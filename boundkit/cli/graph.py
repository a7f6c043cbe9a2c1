"""``boundkit graph``: reductions between theorems, and implications between assumptions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Picture, Preset, check_picture
from boundkit.cli.output import emit, print_answer, print_json


def run(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[THEOREM | ASSUMPTION [ASSUMPTION]]",
            help="a theorem: its reductions; an assumption: what it implies; two: which implies the other",
            autocompletion=completion.graph_names,
        ),
    ] = None,
    assumptions: Annotated[
        bool, typer.Option("--assumptions", help="the graph of all assumptions, not that of all theorems")
    ] = False,
    chains: Annotated[
        bool, typer.Option("--chains", help="of all theorems: reductions one after the other")
    ] = False,
    plot: Picture = None,
    preset: Preset = "presentation",
    as_json: AsJson = False,
) -> int:
    """Show which theorem or assumption implies which.

    A theorem becomes another under conditions, with terms left over, each reduction checked by sympy: exit
    code 1 where one fails. An assumption implies others, with constants, and some not, with an example.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.lattice import LATTICE
    from boundkit.theorems import names as theorems

    given = names or []
    if not assumptions and (not given or given[0] in theorems()):
        if len(given) > 1:
            raise BoundkitError(f"{given[0]} is a theorem, and {given[1]!r} is one name too many.")
        check_picture(plot, preset)
        return _reductions(given[0] if given else None, chains, plot, preset, as_json)
    for name in given:
        if name not in LATTICE.assumptions:
            known = (
                LATTICE.assumptions if assumptions or len(given) > 1 else [*theorems(), *LATTICE.assumptions]
            )
            raise unknown(
                "assumption" if known is LATTICE.assumptions else "theorem or assumption", name, known
            )
    if len(given) > 2:
        raise BoundkitError(f"{len(given)} assumptions were given, but at most two can be compared.")
    if chains:
        raise BoundkitError("--chains is about reductions of theorems, so it takes no assumption.")
    check_picture(plot, preset)
    _assumptions(given, plot, preset, as_json)
    return 0


def _reductions(theorem: str | None, chains: bool, plot: Path | None, preset: str, as_json: bool) -> int:
    from boundkit.analysis.reductions import reductions
    from boundkit.theorems import catalogue

    answer = reductions(catalogue(), theorem, all_chains=chains)
    if plot is not None:
        from boundkit.figures.reductions import figure
        from boundkit.figures.save import save

        save(figure(answer.graph, preset, theorem), plot)
    print_answer(answer, as_json)
    return int(not answer)


def _assumptions(names: list[str], plot: Path | None, preset: str, as_json: bool) -> None:
    from boundkit.analysis.lattice import LATTICE, overview, overview_text, page, page_text
    from boundkit.theorems import catalogue

    given = [LATTICE.named(name) for name in names]
    if plot is not None:
        from boundkit.figures.assumptions import figure
        from boundkit.figures.save import save

        subjects = [s.name for a in given if (s := LATTICE.subject(a)) is not None]
        save(figure(list(dict.fromkeys(subjects)), preset), plot)
    if len(given) == 2:
        _relation(names, as_json)
    elif given:
        theorems = list(catalogue().values())
        print_json(page(given[0], theorems)) if as_json else emit(page_text(given[0], theorems))
    else:
        print_json(overview()) if as_json else emit(overview_text())


def _relation(names: list[str], as_json: bool) -> None:
    """Print whether one assumption implies the other."""
    from boundkit.analysis.lattice import LATTICE, relation

    one, other = names
    answer = {"one": one, "other": other, **relation(LATTICE.named(one), LATTICE.named(other))}
    if as_json:
        print_json(answer)
        return
    texts = {
        "cannot hold together": f"{one} and {other} cannot hold together on all of space",
        "not known here": f"whether {one} implies {other} is not known here",
    }
    text = texts.get(answer["answer"], f"{one} {answer['answer']} {other}")
    emit(f"{text}: {answer['because']}." if answer["because"] else f"{text}.")
