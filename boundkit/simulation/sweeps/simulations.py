"""Sweeps of simulations: combinations of settings, a record for each run, and a table with a row for each."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.input_file import MOST_RECORD, read_json_text
from boundkit.simulation.algorithms import algorithm_class
from boundkit.simulation.atomic_files import replacing, write_text
from boundkit.simulation.problems import Problem, problem_from_spec
from boundkit.simulation.run import SYMBOLS, Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.simulation.simulate import simulate
from boundkit.simulation.sweeps.result_store import ResultStore, key_of, resumable_map
from boundkit.simulation.trajectory import Trajectory

FIELDS = ("eta", "eta_s", "local_steps", "rounds", "seed", "noise", "x0", "schedule", "participation")
"""Fields of RUN.json that may be an axis."""
FRACTION = "C"
"""The fraction of clients that participates: uniform sampling, in place of the run's participation."""
MOST_POINTS = 100_000


@dataclass(frozen=True)
class SweepPoint:
    """One combination: the settings by name, and the resulting run."""

    settings: dict[str, Any] = field(hash=False)
    run: Run


def grid_points(base: Run, axes: Mapping[str, Sequence[Any]]) -> list[SweepPoint]:
    """Every combination of the axes' values over a run, the last axis fastest; the run itself without axes.

    An axis is a field of the run, ``C``, a symbol (``tau``, ``T``) or an option of the algorithm.

    Raises BoundkitError for an axis that is none of them, a repeated value, or a combination that cannot be
    run, which it names.
    """
    algorithm, spec = base.algorithm.name, base.to_json()
    named = _named(algorithm, axes)
    if "schedule" in spec and FRACTION in named:
        raise BoundkitError("C was given, but the run has a schedule, which overrides participation.")
    count = math.prod(len(values) for values in named.values())
    if count > MOST_POINTS:
        raise BoundkitError(f"these settings make {count:,} runs; a sweep has at most {MOST_POINTS:,}.")
    result = []
    problems: dict[str, Problem] = {}
    for values in product(*named.values()):
        settings = dict(zip(named, values, strict=True))
        result.append(SweepPoint(settings, _run(base, spec, settings, problems)))
    return result


def _named(algorithm: str, axes: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """The axes by the names of their fields, validated and without repeats."""
    options = algorithm_class(algorithm).options
    named: dict[str, Sequence[Any]] = {}
    for given, values in axes.items():
        name = SYMBOLS.get(given, given)
        if name not in (*FIELDS, FRACTION, *options):
            raise unknown("setting", given, (*FIELDS, FRACTION, *SYMBOLS, *options))
        if name in named:
            raise BoundkitError(f"{name} is given twice; give it once, several values as {name}=1,2,5.")
        previous: list[Any] = []
        for value in values:
            if value in previous and type(value) is type(previous[previous.index(value)]):
                raise BoundkitError(f"{given} has the value {value!r} twice.")
            previous.append(value)
        named[name] = values
    return named


def _run(
    base: Run, spec: Mapping[str, Any], settings: Mapping[str, Any], problems: dict[str, Problem]
) -> Run:
    """The run of one combination; ``problems``: those of earlier combinations, by their noise."""
    changed = dict(spec)
    for name, value in settings.items():
        if name in FIELDS:
            changed[name] = value
        elif name == FRACTION:
            changed["participation"] = {"kind": "uniform", "C": value}
        else:
            changed["options"] = {**changed.get("options", {}), name: value}
    try:
        problem = base.problem
        if "noise" in settings:
            noise = repr(settings["noise"])
            if noise not in problems:
                problems[noise] = problem_from_spec(changed["problem"], settings["noise"])
            problem = problems[noise]
        return run_from_spec(base.algorithm.name, changed, problem)
    except BoundkitError as error:
        at = ", ".join(f"{name} = {value}" for name, value in settings.items())
        raise BoundkitError(f"at {at}: {error}") from None


_FORMAT = 1
FINAL = ("loss_gap", "gradient_norm_squared", "distance_squared")
"""Final observables of a row, of the server's model and of any other observed model."""

TABLE = "table.csv"
"""The name of the table in a folder of records."""


@dataclass(frozen=True)
class SweepRow:
    """The final result of one run of a sweep.

    ``final``: by observable, its mean over replicas after the last round and the standard error of that
    mean (None for one random run). It is empty where the run diverged: no number of such a run is a result.
    """

    place: int
    settings: dict[str, Any] = field(hash=False)
    outcome: str
    diverged_at: int | None
    final: dict[str, tuple[float, float | None]] = field(hash=False)
    record: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON, without NaN."""
        return {
            "settings": self.settings,
            "outcome": self.outcome,
            "diverged_at": self.diverged_at,
            "final": {n: {"mean": m, "standard_error": e} for n, (m, e) in self.final.items()},
            "record": self.record,
        }


def simulate_all(
    points: Sequence[SweepPoint],
    out: Path | None = None,
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
    fresh: bool = False,
    *,
    engine: str = "step",
    replicas: int = 1,
    dtype: str = "float64",
    device: str = "cpu",
    arrays: str = "auto",
) -> Iterator[SweepRow]:
    """A row for every point, in order of completion; with ``out``, a record of each run is written there.

    A record, ``<algorithm>-<key>.json``, is the answer of ``simulate`` with the settings that varied and
    the run that replays it. An intact record of the same run and options by the same
    boundkit is read instead of computed, unless ``fresh``; so an interrupted sweep resumes, and a sweep
    with added values computes only those. ``engine``, ``replicas``, ``dtype``, ``device`` and ``arrays``
    are those of ``simulate``; ``jobs``, ``backend`` and ``scheduler`` those of ``map_parallel``. Divergence
    is an outcome.
    """
    options = {"engine": engine, "replicas": replicas, "dtype": dtype, "device": device, "arrays": arrays}
    keys = [key_of(algorithm=p.run.algorithm.name, run=p.run.to_json(), options=options) for p in points]
    answers = resumable_map(
        _simulated, [(point, options) for point in points], None if out is None else ResultStore(out, fresh),
        name=lambda place: f"{points[place].run.algorithm.name}-{keys[place][:16]}.json",
        key=keys.__getitem__, load=_load, save=_save, jobs=jobs, backend=backend, scheduler=scheduler,
    )  # fmt: skip
    for place, (answer, path) in answers:
        yield _row(place, points[place], answer, path)


def _load(path: Path) -> tuple[dict[str, Any], Path | None]:
    return json.loads(read_json_text(path, MOST_RECORD)), path


def _save(answer: dict[str, Any], path: Path | None) -> tuple[dict[str, Any], Path | None]:
    if path is not None:
        write_text(path, json.dumps(answer, allow_nan=False))
    return answer, path


class _Measured(Exception):
    """The seconds that a run takes, as far as its first rounds tell."""


def expected_seconds(run: Run, **options: Any) -> float | None:
    """Estimate how long ``simulate(run, **options)`` takes, from its first rounds.

    Parameters
    ----------
    run
        It is begun in this process, and left after a second.
    options
        Those of ``simulate``.

    Returns
    -------
    float or None
        Seconds; None where the run is over within a second.
    """
    begun: tuple[float, int] | None = None

    def measure(done: int, total: int) -> None:
        nonlocal begun
        now = monotonic()
        if begun is None:
            begun = now, done
        elif now - begun[0] >= 1:
            raise _Measured((total - begun[1]) * (now - begun[0]) / max(done - begun[1], 1))

    try:
        simulate(run, progress=measure, **options)
    except _Measured as measured:
        return float(measured.args[0])
    return None


def _simulated(point: SweepPoint, options: dict[str, Any]) -> dict[str, Any]:
    """The content of a run's record."""
    trajectory = simulate(point.run, **options)
    return {
        "format": _FORMAT,
        "varied": point.settings,
        "seed": point.run.seed,
        **trajectory.to_dict(),
        "final": _final(trajectory),
        "run": point.run.to_json(),
    }


def _final(trajectory: Trajectory) -> dict[str, list[float | None]]:
    if trajectory.outcome == "diverged":
        return {}
    final: dict[str, list[float | None]] = {}
    for name in sorted((n for n in trajectory.observed if n.endswith(FINAL)), key=_rank):
        error = float(trajectory.standard_error(name)[-1])
        final[name] = [float(trajectory.mean(name)[-1]), error if math.isfinite(error) else None]
    return final


def _rank(name: str) -> tuple[int, int]:
    """The server's model before others, and the loss before the gradient."""
    return (name not in FINAL, [name.endswith(final) for final in FINAL].index(True))


def _row(place: int, point: SweepPoint, answer: dict[str, Any], path: Path | None) -> SweepRow:
    final = {name: (mean, error) for name, (mean, error) in answer["final"].items()}
    record = None if path is None else str(path)
    return SweepRow(place, point.settings, answer["outcome"], answer["diverged_at"], final, record)


def refuse_other_table(points: Sequence[SweepPoint], folder: str | Path) -> None:
    """Raise BoundkitError where the table of a folder has runs that are none of these points of one sweep.

    A table of the same points, or of some of them, may be written again.
    """
    path = Path(folder) / TABLE
    try:
        with path.open(newline="", encoding="utf-8") as file:
            records = [row.get("record") for row in csv.DictReader(file)]
    except FileNotFoundError:
        return
    except (OSError, ValueError, csv.Error):
        records = [None]
    runs = {_settings_text(run): run for run in (point.run.to_json() for point in points)}
    others = sum(record is None or not _is_among(runs, path.parent / record) for record in records)
    if others:
        raise BoundkitError(
            f"{path} has {others} run{'s' * (others > 1)} that this sweep has not; name another folder, or "
            "write over it with --fresh."
        )


def _settings_text(run: Mapping[str, Any]) -> str:
    """The settings of a run as text, without its problem, which all runs of a sweep share."""
    return json.dumps({name: value for name, value in run.items() if name != "problem"}, sort_keys=True)


def _is_among(runs: Mapping[str, Any], record: Path) -> bool:
    """Whether the run of a record, if it can be read, is one of ``runs``, by their settings."""
    try:
        run = json.loads(read_json_text(record, MOST_RECORD)).get("run")
        return bool(run == runs.get(_settings_text(run)))
    except (OSError, ValueError, AttributeError):
        return False


def write_table(rows: Sequence[SweepRow], folder: str | Path) -> Path:
    """Write ``folder/table.csv`` atomically, a line for every row; missing numbers are left empty.

    Raises BoundkitError where it cannot be written.
    """
    settings = list(dict.fromkeys(name for row in rows for name in row.settings))
    observables = list(dict.fromkeys(name for row in rows for name in row.final))
    columns = [part for n in observables for part in (n, f"{n}_standard_error")]
    header = [*settings, "outcome", "diverged_at", *columns]
    path = Path(folder) / TABLE
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow([*header, "record"])
        for row in rows:
            ends = [part for n in observables for part in row.final.get(n, (None, None))]
            record = None if row.record is None else Path(row.record).name
            lines.writerow([*(_cell(row.settings.get(n)) for n in settings), row.outcome, row.diverged_at,
                            *map(_cell, ends), record])  # fmt: skip
    return path


def _cell(value: Any) -> Any:
    """A number in full digits, a list as JSON."""
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value) if isinstance(value, (list, dict, bool)) else value
