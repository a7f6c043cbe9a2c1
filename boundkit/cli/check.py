"""``boundkit check``: everything about a theorem, for a file of the user's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli import completion
from boundkit.cli.options import (
    SECONDS,
    THEOREM_OR_FILE,
    AsJson,
    Evaluations,
    Picture,
    SearchSeed,
    refuse_unwritable_results,
)
from boundkit.cli.output import emit, print_json, warn

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.analysis.check import CheckResult, SingleCheck
    from boundkit.attack.user_theorem import Examination
    from boundkit.theorem_targets import KnownTheorems


def run(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[THEOREM|FILE.py]...", help=THEOREM_OR_FILE, autocompletion=completion.theorems
        ),
    ] = None,
    static: Annotated[
        bool, typer.Option("--static", help="only the checks without a run, as of a name of the catalogue")
    ] = False,
    budget: Annotated[
        float | None, typer.Option(help="seconds for the search and the wrong versions; 20 for a file")
    ] = None,
    evaluations: Evaluations = None,
    seed: SearchSeed = 0,
    out: Annotated[
        Path | None, typer.Option(help="write the worst instance of each theorem into this folder, as a run")
    ] = None,
    plot: Picture = None,
    page: Annotated[Path | None, typer.Option(help="write all of it as a page (html, md)")] = None,
    errata: Annotated[
        bool,
        typer.Option(
            "--errata", help="show the errata of the sources, or those of a THEOREM or arXiv number"
        ),
    ] = False,
    exhibits: Annotated[bool, typer.Option("--exhibits", hidden=True, help="old name of --errata")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="every check, and all that the runs and wrong versions show")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check a theorem of your own, in FILE.py.

    Without a run, on runs, and by wrong versions of it: exit code 1 where something fails.
    """
    from boundkit.algebra import BoundkitError

    if exhibits:
        raise BoundkitError("the option --exhibits is now --errata.")
    if not errata and not targets:
        raise BoundkitError("name a file that defines a theorem, or ask for --errata.")
    if errata:
        return _errata(targets or [], as_json)
    options = _Options(static, budget, evaluations, seed, out, plot, page)
    options.refuse(targets or [])
    notes: list[str] = []
    results = [each for target in targets or [] for each in _results(target, options, notes)]
    if as_json:
        print_json([each.to_dict() for each in results])
    else:
        emit("\n\n".join([*(_text(each, verbose) for each in results), *filter(None, ["\n".join(notes)])]))
    return int(not all(results))


def _text(result: CheckResult | Examination, verbose: bool) -> str:
    from boundkit.analysis.check import CheckResult

    if not verbose:
        return result.to_text()
    return result.report(verbose=True).to_text() if isinstance(result, CheckResult) else result.to_page()


@dataclass(frozen=True)
class _Options:
    """The requested outputs."""

    static: bool
    budget: float | None
    evaluations: int | None
    seed: int
    out: Path | None
    plot: Path | None
    page: Path | None

    def whole(self, target: str) -> bool:
        """Whether it is tested on runs: a file's theorems, or where a search is requested."""
        from boundkit.theorem_targets import is_file

        return not self.static and (
            is_file(target) or self.budget is not None or self.evaluations is not None
        )

    def refuse(self, targets: list[str]) -> None:
        """Refuse impossible requests before a long run."""
        from boundkit.algebra import BoundkitError

        runs = {"budget": self.budget, "evaluations": self.evaluations, "out": self.out, "plot": self.plot,
                "page": self.page}  # fmt: skip
        named = [name for name, value in runs.items() if value is not None]
        if named and not any(map(self.whole, targets)):
            raise BoundkitError(
                f"--{named[0]} is about runs, but "
                + (
                    "--static makes none; leave one of the two out."
                    if self.static
                    else "a name is checked without a run; give --budget for one."
                )
            )
        if not any(map(self.whole, targets)):  # what a search needs takes a second to import
            return
        from boundkit.attack.search_state import refuse_limits
        from boundkit.simulation.atomic_files import refuse_unwritable

        refuse_limits(SECONDS if self.budget is None else self.budget, self.evaluations, self.seed)
        if self.page is not None:
            from boundkit.figures.verification_report import check_format

            check_format(self.page)
            refuse_unwritable(self.page)
        refuse_unwritable_results(self.plot, None if self.out is None else self.out / "run.json")


def _results(target: str, options: _Options, notes: list[str]) -> list[Any]:
    """The reports on one file or name; a theorem that the file could not build fails its one check."""
    from boundkit.algebra import BoundkitError
    from boundkit.theorem_targets import KnownTheorems, check_proofs, check_theorem, theorems_or_failure

    theorems = theorems_or_failure(target, warn)
    if not isinstance(theorems, list):
        return [theorems]
    known = KnownTheorems({theorem.name: theorem for theorem in theorems})
    proofs = check_proofs(target)
    if not options.whole(target):
        return [
            check_theorem(each, known, runs=False, seed=options.seed, proof=proofs.get(each.name))
            for each in theorems
        ]
    if len(theorems) > 1 and (options.page or options.plot):
        option = "page" if options.page else "plot"
        first = theorems[0].name
        raise BoundkitError(
            f"{target} defines {len(theorems)} theorems, and --{option} is for one; name it, as in "
            f"{target}:{first}."
        )
    return [
        _whole_page(theorem, known, target, options, notes, proofs.get(theorem.name)) for theorem in theorems
    ]


def _whole_page(
    theorem: Theorem,
    known: KnownTheorems,
    target: str,
    options: _Options,
    notes: list[str],
    proof: SingleCheck | None,
) -> Examination:
    """The page, after writing the requested files; ``notes`` name them."""
    from boundkit.attack.user_theorem import Examination
    from boundkit.cli.progress import progress
    from boundkit.theorem_targets import check_theorem

    with progress(f"check {theorem.name}") as report_progress:
        examination = check_theorem(
            theorem, known, runs=True, budget=options.budget, evaluations=options.evaluations,
            seed=options.seed, progress=report_progress, proof=proof,
        )  # fmt: skip
    assert isinstance(examination, Examination)
    run = examination.falsification.run
    if options.out is not None and run is not None:
        examination = examination.with_run_file(
            target, _write_run(run, options.out / f"{theorem.name}.run.json")
        )
    record = None
    if run is not None and (options.plot is not None or options.page is not None):
        from boundkit.attack.user_theorem.examination import worst_record

        record = worst_record(examination)
    if options.plot is not None and record is None:
        notes.append("no picture: it was not tested on runs.")
    elif options.plot is not None and record is not None:
        from boundkit.figures.bound_against_run import figure
        from boundkit.figures.save import save

        notes += [f"written {path}" for path in save(figure(record), options.plot)]
    if options.page is not None:
        from boundkit.figures.verification_report.user_theorem import write_page

        notes += [f"written {path}" for path in write_page(examination, record, options.page)]
    return examination


def _write_run(run: dict[str, Any], path: Path) -> str:
    """Where the worst run now lies, for boundkit verify."""
    import json

    from boundkit.simulation.atomic_files import write_text

    write_text(path, json.dumps(run, ensure_ascii=False, indent=1) + "\n")
    return str(path)


def _errata(targets: list[str], as_json: bool) -> int:
    from boundkit.analysis.statement import erratum_dict, erratum_text
    from boundkit.theorems.errata import errata, find_errata

    named = {each.name: each for target in targets for each in find_errata(target)}
    shown = (named if targets else errata()).values()
    if as_json:
        print_json([erratum_dict(erratum) for erratum in shown])
    else:
        emit("\n\n".join(map(erratum_text, shown)) or f"No erratum concerns {' or '.join(targets)}.")
    return 0
