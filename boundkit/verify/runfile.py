"""RUN.json: one run, replayable to the last client of its schedule."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.verify.algorithms import known_algorithm
from boundkit.verify.problems import Problem, Quadratic, SmoothNonconvex
from boundkit.verify.run import Run, make_run

REQUIRED = ("problem", "x0", "rounds", "eta", "local_steps")
OPTIONAL = ("eta_s", "schedule", "participation", "noise", "seed", "options")
_JSON_NAMES = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
PROBLEM_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "quadratic": (("H", "e"), ("p",)),
    "smooth_nonconvex": (("e",), ("p",)),
}
"""Required and optional fields of each kind of problem."""


def read_run(algorithm: str, path: str | Path, seed: int | None = None) -> Run:
    """The run that a file describes, for the algorithm of that name; ``seed`` rules over the file's.

    Raises BoundkitError, naming the file and the field, for anything that cannot be run.
    """
    known_algorithm(algorithm)
    spec = _read(path)
    if seed is not None and isinstance(spec, dict):
        spec["seed"] = seed
    with _naming(path):
        return run_from_spec(algorithm, spec)


def read_problem(path: str | Path) -> Problem:
    """The problem of a RUN.json, with the run's noise, or of a file that holds the ``problem`` field alone.

    Raises BoundkitError, naming the file and the field.
    """
    spec = _read(path)
    with _naming(path):
        whole = isinstance(spec, Mapping) and "problem" in spec
        return (
            problem_from_spec(spec["problem"], spec.get("noise", 0.0)) if whole else problem_from_spec(spec)
        )


def _read(path: str | Path) -> Any:
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise BoundkitError(f"cannot read {path}: {reason}.") from None
    with _naming(path):
        return json.loads(text, parse_constant=_not_a_number, object_pairs_hook=_no_repeats)


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Every mistake in the block as one sentence that begins with the file."""
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


def run_from_spec(algorithm: str, spec: Any) -> Run:
    """The run that the parsed JSON describes."""
    fields = _checked_fields("a run", spec, REQUIRED, OPTIONAL)
    options = fields.pop("options", {})
    if not isinstance(options, Mapping):
        raise BoundkitError(f"options must be an object, but it is {reprlib.repr(options)}.")
    problem = problem_from_spec(fields.pop("problem"), fields.pop("noise", 0.0))
    return make_run(algorithm, problem, options=options, **fields)


def problem_from_spec(spec: Any, noise: Any = 0.0) -> Problem:
    """The problem that the ``problem`` field describes."""
    if not isinstance(spec, Mapping) or not isinstance(spec.get("kind"), str):
        raise BoundkitError('problem must be an object with a "kind", such as "quadratic".')
    kind = spec["kind"]
    if kind not in PROBLEM_FIELDS:
        raise unknown("kind of problem", kind, PROBLEM_FIELDS)
    required, optional = PROBLEM_FIELDS[kind]
    fields = _checked_fields(f"a {kind} problem", spec, ("kind", *required), optional)
    if kind == "quadratic":
        return Quadratic(fields["H"], fields["e"], fields.get("p"), noise)
    return SmoothNonconvex(fields["e"], fields.get("p"), noise)


def _checked_fields(
    what: str, spec: Any, required: tuple[str, ...], optional: tuple[str, ...]
) -> dict[str, Any]:
    if not isinstance(spec, Mapping):
        raise BoundkitError(
            f"{what} must be a JSON object, but it is {_JSON_NAMES.get(type(spec), 'a number')}."
        )
    for name in spec:
        if name not in (*required, *optional):
            raise unknown(f"field of {what}", name, (*required, *optional))
    for name in required:
        if name not in spec:
            raise BoundkitError(f"{what} needs the field {name!r}.")
    for name, value in spec.items():
        if value is None:
            raise BoundkitError(f"the field {name!r} of {what} is null; give it a value, or leave it out.")
    return dict(spec)


def _not_a_number(constant: str) -> NoReturn:
    raise BoundkitError(f"{constant} is not a number that a run can use.")


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for name, value in pairs:
        if name in seen:
            raise BoundkitError(f"the field {name!r} is given twice.")
        seen[name] = value
    return seen
