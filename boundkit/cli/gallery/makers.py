"""The maker of each figure: reads a request, computes what is shown, and draws it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boundkit.cli.gallery import bound_against_run
from boundkit.cli.gallery.arguments import FigureRequest, FigureResult
from boundkit.cli.gallery.records import drawing, folder_of, recorded, verified
from boundkit.report.formatting import join_names

if TYPE_CHECKING:
    from boundkit.analysis.progress import Progress
    from boundkit.verification.tabular_result import TabularResult

EVERY = 10
"""Where no terminal shows a bar, a line is logged every so many theorems of the atlas."""
DEMONSTRATIONS = {
    "availability": "client_availability",
    "client_drift": "client_drift",
    "clipping": "clipping",
    "cyclic": "cyclic_groups",
    "fedexp_step": "fedexp_step",
    "partial_participation": "error_floors",
    "power_of_choice": "number_of_candidates",
    "surrogate_paths": "surrogate_paths",
}
"""The demonstration whose record a figure shows."""


def make(request: FigureRequest) -> FigureResult:
    """Draw the figure of a request; records that are missing for it are made first."""
    from boundkit.figures.style import USUAL, page_layout

    with page_layout(request.layout or USUAL):
        return MAKERS[request.name](request)


def _demonstration(request: FigureRequest) -> FigureResult:
    """The record of a demonstration, drawn by ``boundkit/figures/NAME.py``."""
    from boundkit.algebra import BoundkitError

    demonstration = DEMONSTRATIONS[request.name]
    if request.words:
        raise BoundkitError(
            f"{request.name} shows the demonstration {demonstration}, so {request.words[0]!r} must not be "
            "given."
        )
    result, file = recorded(request, demonstration)
    with drawing(request.name, file):
        page = import_module(f"boundkit.figures.{request.name}").figure(result, request.preset)
    return FigureResult(page, record=file, columns=result.columns)


def _assumptions(request: FigureRequest) -> FigureResult:
    """The graph of assumptions, or the part of it that is on some subjects."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.assumptions import figure
    from boundkit.figures.csv_data import of_assumptions

    if request.values:
        raise BoundkitError(
            f"{request.name} takes subjects, such as dissimilarity, but no {request.values[0]!r}."
        )
    return FigureResult(figure(request.names, request.preset), columns=of_assumptions(request.names))


def _atlas(request: FigureRequest) -> FigureResult:
    """The tightness atlas, of some theorems or of all: the package's own record, unless one was named."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.atlas import figure
    from boundkit.theorems import theorem

    for word in request.values:
        raise BoundkitError(f"{request.name} takes names of theorems, so {word!r} must not be given.")
    names = [theorem(name).name for name in request.names]  # an unknown one is refused before anything runs
    result, file = _atlas_record(request)
    with drawing(request.name, file):
        return FigureResult(
            figure(result, request.preset, names), names or None, record=file, columns=result.columns
        )


def _atlas_record(request: FigureRequest) -> tuple[TabularResult, Path]:
    from boundkit.attack.atlas_record import FILE, NAME
    from boundkit.studies.demonstration_records import is_current, read_demonstration

    named = request.options.get("record") or is_current(folder_of(request) / FILE.name)
    if FILE.is_file() and not named:
        return read_demonstration(FILE), FILE
    return recorded(request, NAME, _computed_atlas)


def _computed_atlas(report_progress: Progress) -> TabularResult:
    """Make the record again, in minutes: a bar, or a line now and then where no terminal shows one."""
    from boundkit.attack.atlas import compute_record
    from boundkit.cli.progress import logged

    def report_run(done: int, total: int) -> None:
        report_progress(done, total)
        if done % EVERY == 0:
            logged(f"atlas: {done} of {total} theorems")

    return compute_record(report_run)


def _reductions(request: FigureRequest) -> FigureResult:
    """The graph of the catalogue, or of one theorem; exit code 1 where a reduction fails."""
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.reductions import reduction_graph
    from boundkit.figures.csv_data import of_reductions
    from boundkit.figures.reductions import figure
    from boundkit.theorems import catalogue

    only, *others = request.names or (None,)
    for word in (*others, *request.values):
        raise BoundkitError(f"{request.name} is about one theorem, or all: {word!r} is one word too many.")
    graph = reduction_graph(catalogue(), only)
    code = int(not all(edge.confirmed for edge in graph.edges))
    return FigureResult(figure(graph, request.preset, only), only, code, columns=of_reductions(graph))


def _necessary_constants(request: FigureRequest) -> FigureResult:
    """The constants of some theorems, beside those that are necessary."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.known_constants import known_constants
    from boundkit.figures.necessary_constants import THEOREMS, figure
    from boundkit.theorems import theorem

    for word in request.values:
        raise BoundkitError(f"{request.name} takes names of theorems, so {word!r} must not be given.")
    answers = [known_constants(theorem(name)) for name in request.names or THEOREMS]
    rows = [(answer.theorem.name, term) for answer in answers for term in answer.terms]
    columns: dict[str, list[Any]] = {
        "theorem": [name for name, _ in rows],
        "term": [term.term for _, term in rows],
        "before": [None if term.before is None else float(term.before) for _, term in rows],
        "constant": [float(term.constant) for _, term in rows],
        "found": [term.found for _, term in rows],
        "necessary": [term.necessary for _, term in rows],
        "factor": [term.factor for _, term in rows],
        "lower bound": [term.lower for _, term in rows],
    }
    return FigureResult(figure(answers, request.preset), list(request.names) or None, columns=columns)


def _outer_optimisers(request: FigureRequest) -> FigureResult:
    """Closed forms of momentum at the server."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.outer_optimisers import columns, figure

    for word in (*request.names, *request.values):
        raise BoundkitError(f"{request.name} takes no arguments, so {word!r} must not be given.")
    numbers = {name: values.tolist() for name, values in columns().items()}
    return FigureResult(figure(request.preset), columns=numbers)


def _plan(request: FigureRequest) -> FigureResult:
    """The plan of docs/plan.md; another one is drawn by ``boundkit plan --plot``."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.plan import columns, figure
    from boundkit.interface import plan

    for word in (*request.names, *request.values):
        raise BoundkitError(f"{request.name} takes no {word!r}; boundkit plan ... --plot draws another plan.")
    example = plan(
        step_time="1s", replicas=8, parameters="1B", bandwidth="2Gbit/s", target=0.05,
        constants={"L": (0.5, 2.0), "sigma": (1.0, 3.0), "sigma_g": 0.3, "gap": 2.0},
    )  # fmt: skip
    return FigureResult(figure(example, request.preset), columns=columns(example))


def _compare(request: FigureRequest) -> FigureResult:
    from boundkit.cli.compare import compute_comparison
    from boundkit.figures.compare import figure
    from boundkit.figures.csv_data import of_comparison

    rules = {name: request.options[name] for name in ("eta", "eta_s")}
    comparison = compute_comparison(request.words, request.options["tuned"], rules)
    return FigureResult(
        figure(comparison, request.preset), comparison.names, columns=of_comparison(comparison)
    )


def _regimes(request: FigureRequest) -> FigureResult:
    """The phase diagram of one theorem over two quantities."""
    from boundkit.algebra import BoundkitError
    from boundkit.cli.regimes import compute_regimes
    from boundkit.figures.csv_data import of_prediction
    from boundkit.figures.regimes import figure

    if len(request.names) != 3:
        raise BoundkitError(
            "regimes needs a theorem and two quantities: boundkit figure regimes THEOREM X Y name=value ..."
        )
    theorem, x, y = request.names
    rules = {name: request.options[name] for name in ("eta", "eta_s")}
    regimes = compute_regimes(theorem, x, y, request.values, rules)
    return FigureResult(figure(regimes, request.preset), theorem, columns=of_prediction(regimes.prediction))


def _sensitivity(request: FigureRequest) -> FigureResult:
    from boundkit.algebra import BoundkitError
    from boundkit.analysis.sensitivity import sensitivity
    from boundkit.figures.csv_data import of_sensitivity
    from boundkit.figures.sensitivity import figure
    from boundkit.theorems import theorem

    if request.values:
        raise BoundkitError(
            f"{request.name} holds for all values, so {request.values[0]!r} must not be given."
        )
    statement = theorem(request.theorem())
    answer = sensitivity(statement, eta=request.options["eta"], eta_s=request.options["eta_s"])
    return FigureResult(figure(answer, request.preset), statement.name, columns=of_sensitivity(answer))


def _terms(request: FigureRequest) -> FigureResult:
    """The prediction over the axes that the words span, or over the usual ones."""
    from boundkit.algebra.notation import VECTORS
    from boundkit.analysis.predict import predict
    from boundkit.cli.parameter_values import read_values
    from boundkit.figures.csv_data import of_prediction
    from boundkit.figures.terms import default_axes, figure
    from boundkit.theorems import theorem as named

    statement = named(request.theorem())
    values: dict[str, Any] = dict(read_values(request.values, statement))
    if not any(isinstance(value, list) and name not in VECTORS for name, value in values.items()):
        values |= default_axes(statement, values)
    prediction = predict(statement, **values)
    return FigureResult(figure(prediction, request.preset), statement.name, columns=of_prediction(prediction))


def _verdicts(table: str) -> Callable[[FigureRequest], FigureResult]:
    """A figure of the record of all verdicts; ``table`` is what is drawn of it."""

    def make(request: FigureRequest) -> FigureResult:
        from boundkit.figures.csv_data import of_table

        result, file = verified(request)
        with drawing(request.name, file):
            page = import_module(f"boundkit.figures.{request.name}").figure(result, request.preset)
            return FigureResult(page, columns=of_table(result, table), record=file)

    return make


def _waterfall(request: FigureRequest) -> FigureResult:
    """The picture of a ledger; exit code 1 where one was written for it and a step is wrong."""
    from boundkit.algebra import BoundkitError
    from boundkit.figures.csv_data import of_table
    from boundkit.figures.waterfall import figure

    for word in (*request.names[1:], *request.values):
        raise BoundkitError(
            f"{request.name} draws a theorem's proof on a run: {word!r} belongs into RUN.json, given as "
            "--run."
        )
    result, file, written = _read_or_compute_ledger(request)
    with drawing(request.name, file):
        page = figure(result, request.preset)
        columns = of_table(result, "steps")
        code = int(written and not result.values["holds"])
    return FigureResult(page, result.values["theorem"], code, file, columns)


def _read_or_compute_ledger(request: FigureRequest) -> tuple[TabularResult, Path | None, bool]:
    """The record that was named, or a ledger that is written now; whether it was, and its file."""
    from boundkit.algebra import BoundkitError
    from boundkit.proofs import as_record, ledger, proved
    from boundkit.proofs.proof_ledger import NAME
    from boundkit.simulation.atomic_files import refuse_unwritable
    from boundkit.simulation.run_file import read_run
    from boundkit.studies.demonstration_records import read_demonstration, write_demonstration
    from boundkit.theorems import theorem as named

    file, run_file = request.options["record"], request.options["run"]
    if file is not None and file.is_file():
        record = read_demonstration(file)
        if record.name != NAME:
            raise BoundkitError(f"{file} is a record of {record.name}, not of a {NAME}.")
        if request.names and record.values.get("theorem") != request.names[0]:
            raise BoundkitError(
                f"{file} is a record of {record.values.get('theorem')}, not of {request.names[0]}."
            )
        if run_file is not None:
            raise BoundkitError(f"{file} is there, and is drawn as it is: leave out --run, or name another.")
        return record, file, False
    if not request.names:
        if file is not None:
            raise BoundkitError(f"there is no {file}; with the name of a theorem it is made.")
        raise BoundkitError(
            f"{request.name} needs a theorem whose proof can be run: {join_names(proved()[:4])} and others; "
            f"as in boundkit figure {request.name} {proved()[0]}."
        )
    statement = named(request.theorem())
    run = None if run_file is None else read_run(statement.algorithm, run_file)
    if file is not None:
        refuse_unwritable(file)
    result = as_record(ledger(statement, run))
    if file is not None:
        result = write_demonstration(result, file)
        request.computed[file] = f"the proof of {statement.name} on a run"
    return result, file, True


MAKERS: dict[str, Callable[[FigureRequest], FigureResult]] = {
    "assumptions": _assumptions,
    "atlas": _atlas,
    "bound_against_run": bound_against_run.make,
    "compare": _compare,
    "necessary_constants": _necessary_constants,
    "outer_optimisers": _outer_optimisers,
    "plan": _plan,
    "rates": _verdicts("slopes"),
    "reductions": _reductions,
    "regimes": _regimes,
    "sensitivity": _sensitivity,
    "terms": _terms,
    "tightness": _verdicts("theorems"),
    "waterfall": _waterfall,
    **dict.fromkeys(DEMONSTRATIONS, _demonstration),
}
"""The maker of every figure of ``boundkit.figures.gallery``."""
