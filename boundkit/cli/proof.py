"""``boundkit proof``: a proof checked by machine, or evaluated step by step on a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli import completion
from boundkit.cli.options import AsJson, Picture
from boundkit.cli.output import emit, print_json, print_table

if TYPE_CHECKING:
    from fractions import Fraction

    from boundkit.algebra import Theorem
    from boundkit.proofs.certificate import Certificate

DEFAULT = "default"
"""What --run takes for the theorem's default instance."""


def run(
    theorem: Annotated[
        str | None,
        typer.Argument(
            metavar="[THEOREM|FILE.py]",
            help="a theorem with a proof as data, or a FILE.py with certificates (executed); or --all",
            autocompletion=completion.proofs,
        ),
    ] = None,
    run_file: Annotated[
        Path | None, typer.Argument(metavar="[RUN.json]", help="the same as --run RUN.json")
    ] = None,
    on_run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN.json",
            help=f"evaluate the steps on this run; {DEFAULT}: on the default instance",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="check all proofs; stored results are taken where nothing changed")
    ] = False,
    lemmas: Annotated[
        bool,
        typer.Option(
            "--lemmas",
            help="print the lemmas and assumptions that checked proofs rest on, or those of one theorem",
        ),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="with --all: check every proof again")] = False,
    update: Annotated[
        bool, typer.Option("--update", help="store the result as the standing that list and show print")
    ] = False,
    sharpen: Annotated[
        bool, typer.Option("--sharpen", help="search smaller constants that the same steps prove")
    ] = False,
    aims: Annotated[
        list[str] | None,
        typer.Option(
            "--aim",
            metavar="TERM|all",
            help="of --sharpen: what to make small; several give the Pareto front [default: together]",
        ),
    ] = None,
    limits: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="TERM=NUMBER",
            help="of --sharpen: what a constant may become [default: itself]",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="print each step's inequality and its reason too")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(help="of a run: keep it as a record that boundkit figure waterfall draws (json)"),
    ] = None,
    plot: Picture = None,
    save_run: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write the run, as the default instance is no file (json)"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check a proof by machine: every step with its verdict.

    With a run, evaluate the proof on it: the slack of each step. Exit code 1 where a step is not proved, or
    is violated on the run.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.theorem_targets import is_file
    from boundkit.theorems import theorem as named

    if (aims or limits) and not sharpen:
        raise BoundkitError("--aim and --limit belong to --sharpen; give it too.")
    if sharpen:
        if theorem is None or every or lemmas or update or run_file is not None or on_run is not None:
            raise BoundkitError("--sharpen takes one theorem or FILE.py, and no run.")
        return _sharpen(theorem, aims, limits, as_json)
    if lemmas:
        return _print_lemmas(theorem, as_json)
    if every:
        if theorem is not None:
            raise BoundkitError(f"--all takes every proof, but {theorem} was named; give one of them.")
        if any(each is not None for each in (on_run, record, plot, save_run)):
            raise BoundkitError("--all checks proofs, and evaluates none on a run; name a theorem for that.")
        return _check_all(fresh, update, as_json)
    if theorem is None:
        raise BoundkitError("a theorem is needed, or --all, or --lemmas.")
    of_run = on_run is not None or any(each is not None for each in (run_file, record, plot, save_run))
    if not of_run and is_file(theorem):
        return _check_file(theorem, verbose, as_json)
    if not of_run and _has_certificate(theorem):
        return _check_one(theorem, update, verbose, as_json)
    if on_run is not None and on_run != DEFAULT:
        if run_file is not None:
            raise BoundkitError("a run was given twice, by --run and after the theorem; give it once.")
        run_file = Path(on_run)
    proof = _certificate_in(theorem) if is_file(theorem) else None
    statement = named(theorem) if proof is None else proof.theorem
    return _evaluate(statement, proof, run_file, verbose, record, plot, save_run, as_json)


def _has_certificate(name: str) -> bool:
    from boundkit.proofs.certificate_store import certified

    return name in certified()


def _check_one(name: str, update: bool, verbose: bool, as_json: bool) -> int:
    """Check one certificate and print its steps."""
    from boundkit.proofs.certificate_store import proof_named, record_of, store
    from boundkit.proofs.corollaries import check_proof
    from boundkit.proofs.printing import checked_proof

    certificate = proof_named(name)
    result = check_proof(certificate)
    if update:
        store(record_of(certificate, result))
    if as_json:
        print_json(result.to_dict())
    else:
        report = result.report()
        emit((report + checked_proof(certificate, result) if verbose else report).to_text())
    return int(not result.proved)


def _sharpen(theorem: str, aims: list[str] | None, limits: list[str] | None, as_json: bool) -> int:
    """Search smaller constants of a certificate and print them."""
    from boundkit.algebra import BoundkitError
    from boundkit.proofs.certificate import Certificate
    from boundkit.proofs.certificate_store import certificate_of, certificates_in
    from boundkit.proofs.sharpening import TOGETHER, sharpen
    from boundkit.theorem_targets import is_file

    most = dict(_limit(text) for text in limits or ())
    certificates = certificates_in(theorem) if is_file(theorem) else [certificate_of(theorem)]
    own = [each for each in certificates if isinstance(each, Certificate)]
    if not own:
        raise BoundkitError(f"{theorem} follows from another theorem; sharpen the proof of that one.")
    results = [sharpen(certificate, aims or (TOGETHER,), most) for certificate in own]
    if as_json:
        written = [result.to_dict() for result in results]
        print_json(written if is_file(theorem) else written[0])
    else:
        emit("\n\n".join(result.to_text() for result in results))
    return 0


def _limit(text: str) -> tuple[str, Fraction]:
    """Read TERM=NUMBER."""
    from fractions import Fraction

    from boundkit.algebra import BoundkitError

    label, _, number = text.rpartition("=")
    try:
        value = Fraction(number)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if not label or value <= 0:
        raise BoundkitError(f"--limit {text} must be the label of a term, =, and a positive number.")
    return label.strip(), value


def _check_file(path: str, verbose: bool, as_json: bool) -> int:
    """Check the certificates of an author's file."""
    from boundkit.proofs.certificate_store import certificates_in
    from boundkit.proofs.corollaries import check_proof
    from boundkit.proofs.printing import checked_proof

    certificates = certificates_in(path)
    results = [check_proof(certificate) for certificate in certificates]
    if as_json:
        print_json([result.to_dict() for result in results])
    else:
        shown = [
            result.report() + checked_proof(certificate, result) if verbose else result.report()
            for certificate, result in zip(certificates, results, strict=True)
        ]
        emit("\n\n".join(report.to_text() for report in shown))
    return int(not all(result.proved for result in results))


def _certificate_in(path: str) -> Certificate:
    """Return the one certificate of an author's file."""
    from boundkit.algebra import BoundkitError
    from boundkit.proofs.certificate import Certificate
    from boundkit.proofs.certificate_store import certificates_in

    own = [each for each in certificates_in(path) if isinstance(each, Certificate)]
    if len(own) != 1:
        raise BoundkitError(
            f"a run is put in one certificate, but {path} has {len(own)}; name one with {path}:NAME."
            if own
            else f"{path} has no certificate of its own, whose steps a run could be put in."
        )
    return own[0]


def _check_all(fresh: bool, update: bool, as_json: bool) -> int:
    """Check every certificate and print the table."""
    from boundkit.cli.progress import progress
    from boundkit.proofs.certificate_store import certified, check_all, store

    results: dict[str, dict[str, Any]] = {}
    again: set[str] = set()
    with progress("proof") as report_progress:
        report_progress(0, len(certified()))
        for record, proved_again in check_all(fresh=fresh):
            results[record["theorem"]] = record
            again |= {record["theorem"]} if proved_again else set()
            if update and proved_again:
                store(record)
            report_progress(len(results), len(certified()))
    records = [results[name] for name in certified()]
    if as_json:
        print_json([{**record, "stored": record["theorem"] not in again} for record in records])
    else:
        rows = [
            [
                record["theorem"], record["verdict"], str(record["obligations"]),
                ", ".join(f"{count} {method}" for method, count in record["methods"].items()),
                ", ".join(record["failed"]),
            ]
            for record in records
        ]  # fmt: skip
        print_table(["theorem", "verdict", "obligations", "methods", "steps that fail"], rows, left=2)
        proved = sum(record["verdict"] == "proved" for record in records)
        emit(f"\n{proved} of {len(records)} proved; {len(again)} checked now, the others as stored.\n")
        _print_unproved()
    return int(any(record["verdict"] != "proved" for record in records))


def _print_unproved() -> None:
    """Print the theorems without a certificate, each with the reason."""
    from boundkit.proofs.certificate_store import certified
    from boundkit.proofs.missing_certificates import why_unproved
    from boundkit.theorems import names, theorem

    rows = [[name, why_unproved(theorem(name))] for name in names() if name not in certified()]
    print_table(["theorem without a certificate", "because"], rows, left=2)


def _print_lemmas(theorem: str | None, as_json: bool) -> int:
    """Print what checked proofs are trusted on, or that of a theorem or of an author's file."""
    from boundkit.proofs.certificate import Certificate
    from boundkit.proofs.certificate_store import certificates_in, proof_named
    from boundkit.proofs.library import trusted_base
    from boundkit.theorem_targets import is_file

    used = None
    if theorem is not None:
        proofs = certificates_in(theorem) if is_file(theorem) else [proof_named(theorem)]
        used = []
        for proof in proofs:
            while not isinstance(proof, Certificate):
                proof = proof.base
            used += [step.lemma for step in proof.steps]
    base = trusted_base(used)
    if as_json:
        print_json(base.to_dict())
    else:
        emit(base.to_text())
    return 0


def _evaluate(
    statement: Theorem,
    proof: Certificate | None,
    run_file: Path | None,
    verbose: bool,
    record: Path | None,
    plot: Path | None,
    save_run: Path | None,
    as_json: bool,
) -> int:
    """Evaluate a proof on a run and print the ledger."""
    from boundkit.proofs import as_record, ledger, proof_of
    from boundkit.simulation.atomic_files import refuse_unwritable, write_text
    from boundkit.simulation.run_file import read_run
    from boundkit.studies.demonstration_records import write_demonstration

    if proof is None:
        proof_of(statement)  # a theorem without one is refused before anything is read or run
    if plot is not None:
        from boundkit.figures.save import refuse_unwritable_figure

        refuse_unwritable_figure(plot)
    for file in (record, save_run):
        if file is not None:
            refuse_unwritable(file)
    run = None if run_file is None else read_run(statement.algorithm, run_file)
    result = ledger(statement, run, proof)
    stored = as_record(result)
    if record is not None:
        write_demonstration(stored, record)
    if save_run is not None:
        write_text(save_run, json.dumps(result.run, indent=2) + "\n")
    if plot is not None:
        from boundkit.figures.save import save
        from boundkit.figures.waterfall import figure

        save(figure(stored), plot)
    if as_json:
        print_json(result.to_dict())
    else:
        parts = [result.to_text(), *([result.statements()] if verbose else [])]
        written = {"run": run_file or save_run, "record": record, "picture": plot}
        lines = [f"  {name:<8}  {path}" for name, path in written.items() if path is not None]
        parts += ["\n".join(lines)] if lines else []
        emit("\n\n".join(parts))
    return int(not result.holds)
