"""``boundkit show``: the statement of a theorem."""

from __future__ import annotations

from typing import Annotated

import typer

from boundkit.cli.options import AsJson, TheoremName
from boundkit.cli.output import emit, print_json


def run(
    theorem: TheoremName,
    proof: Annotated[
        bool,
        typer.Option("--proof", help="also proof, origin of the constants, reductions, limits, costs"),
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="the bound as LaTeX, for a page")] = False,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="the source as a BibTeX entry")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a theorem: bound, conditions, assumptions, source."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.statement import statement, statement_latex, statement_report
    from boundkit.cli.known_constants import known_constants
    from boundkit.theorems import theorem as named
    from boundkit.theorems.catalogue import MACHINE_CHECKED, proof_status
    from boundkit.theorems.errata import errata_of

    if latex + bibtex + as_json > 1:
        raise BoundkitError("--latex, --bibtex and --json exclude each other; give one of them.")
    value = named(theorem)
    if as_json:
        necessary = known_constants(value)
        print_json(
            {
                **statement(value, errata_of(theorem)),
                "standing": proof_status(value),
                "necessary_constants": necessary.to_dict(),
            }
        )
    elif latex:
        emit(statement_latex(value))
    elif bibtex:
        emit(value.source.bibtex())
    else:
        emit(statement_report(value, proof, errata_of(theorem)).to_text())
        necessary = known_constants(value)
        if necessary.terms:
            emit(f"\n{necessary.to_text()}")
        if proof:
            from boundkit.proofs.printing import stored_proof

            steps = stored_proof(value)
            if steps is not None:
                emit(f"\nProof, {proof_status(value)}\n\n{steps.to_text()}")
        elif proof_status(value) == MACHINE_CHECKED:
            emit(f"\nProof\n  {MACHINE_CHECKED}: boundkit show {value.name} --proof prints its steps")
