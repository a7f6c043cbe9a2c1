"""RUN.json: one run, replayable exactly."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RUN, read_json_text
from boundkit.simulation.algorithms import algorithm_class
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.problems import Problem, problem_from_spec
from boundkit.simulation.run import Run, make_run, settings_of_symbols

REQUIRED = ("problem", "x0", "rounds", "eta", "local_steps")
OPTIONAL = ("eta_s", "schedule", "participation", "noise", "seed", "options", "every")


def read_run(algorithm: str, path: str | Path, seed: int | None = None) -> Run:
    """The run in a file, for the algorithm of that name; ``seed`` overrides the file's.

    Raises BoundkitError, naming the file and the field, for anything that cannot be run.
    """
    algorithm_class(algorithm)
    spec = _read(path)
    if seed is not None and isinstance(spec, dict):
        spec["seed"] = seed
    with _naming_file(path):
        return run_from_spec(algorithm, spec)


def _read(path: str | Path) -> Any:
    text = read_json_text(path, MOST_RUN)
    if not text.strip():
        raise BoundkitError(f"{path} is empty, but a run is a JSON object.")
    with _naming_file(path):
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_fields)


@contextmanager
def _naming_file(path: str | Path) -> Iterator[None]:
    """Raise every error in the block as one sentence that begins with the file."""
    try:
        yield
    except json.JSONDecodeError as error:
        raise BoundkitError(f"{path} is not JSON: {error.msg} in line {error.lineno}.") from None
    except RecursionError:
        raise BoundkitError(f"{path} is nested too deeply to be a run.") from None
    except BoundkitError as error:
        raise BoundkitError(f"{path}: {error}") from None
    except ValueError as error:
        if "digits" not in str(error):
            raise
        raise BoundkitError(f"{path} holds a whole number with too many digits.") from None


def run_from_spec(algorithm: str, spec: Any, problem: Problem | None = None) -> Run:
    """The run that the parsed JSON describes; ``problem``: its problem, where that was built before."""
    spec = settings_of_symbols(spec) if isinstance(spec, Mapping) else spec
    fields = checked_fields("a run", spec, REQUIRED, OPTIONAL)
    options = fields.pop("options", {})
    if not isinstance(options, Mapping):
        raise BoundkitError(f"options must be an object, but it is {reprlib.repr(options)}.")
    described = fields.pop("problem"), fields.pop("noise", 0.0)
    problem = problem_from_spec(*described) if problem is None else problem
    return make_run(algorithm, problem, options=options, **fields)


def _refuse_constant(constant: str) -> NoReturn:
    raise BoundkitError(f"{constant} is not a number that a run can use.")


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise BoundkitError(f"the field {name!r} is given twice.")
        fields[name] = value
    return fields
