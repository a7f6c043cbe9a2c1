"""RUN.json: what cannot be run is refused in a sentence that names the field; what can is kept."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import trajectory
from boundkit.simulation.participation import KINDS
from boundkit.simulation.problems import PROBLEM_FIELDS
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import OPTIONAL, REQUIRED, read_run, run_from_spec
from tests.cases import each
from tests.simulation.reference.cases import CASES

VALID: dict[str, Any] = {
    "problem": {
        "kind": "quadratic",
        "H": [1.0, [1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]]],
        "e": [[1, 0], [0, 1], [-1, 2]],
        "p": [0.5, 0.3, 0.2],
    },
    "x0": [4.0, 0.0],
    "rounds": 5,
    "eta": 0.1,
    "eta_s": 1.0,
    "local_steps": [[2, 5, 9]],
    "schedule": [[0, 1], [2], []],
    "participation": {"kind": "full"},
    "noise": 0.0,
    "seed": 0,
    "options": {},
}


def changed(path: str, value: Any, algorithm: str = "fedavg") -> Any:
    """The valid run with one field, dotted, set to another value."""
    spec = copy.deepcopy(VALID)
    *parents, last = path.split(".")
    inner = spec
    for parent in parents:
        inner = inner[parent]
    inner[last] = value
    return spec


def complaint(spec: Any) -> str:
    """The one sentence with which a run is refused."""
    with pytest.raises(BoundkitError) as caught:
        run_from_spec("fedavg", spec)
    text = str(caught.value)
    assert text[-1] in ".?"
    assert "\n" not in text
    assert len(text) < 400
    return text


def test_the_example_of_the_format_is_a_run() -> None:
    run = run_from_spec("fedavg", VALID)
    assert run.rounds == 5
    assert run.problem.p.tolist() == [0.5, 0.3, 0.2]
    assert [run.steps(t).tolist() for t in (0, 1)] == [[2, 5, 9]] * 2


@each("field", [f for f in OPTIONAL if f != "participation"])
def test_optional_fields_have_defaults(field: str) -> None:
    spec = {k: v for k, v in VALID.items() if k != field}
    run = run_from_spec("fedavg", spec)
    assert (run.eta_s, run.seed, run.problem.noise) == (1.0, 0, 0.0)
    assert run.participation.kind == ("full" if field == "schedule" else "schedule")


@each("field", REQUIRED)
def test_required_fields_are_missed_by_name(field: str) -> None:
    assert f"needs the field '{field}'" in complaint({k: v for k, v in VALID.items() if k != field})


@each("kind", PROBLEM_FIELDS)
def test_each_problem_misses_its_fields_by_name(kind: str) -> None:
    for field in PROBLEM_FIELDS[kind][0]:
        problem = {"kind": kind} | {f: [[1.0]] for f in PROBLEM_FIELDS[kind][0] if f != field}
        assert f"needs the field '{field}'" in complaint(changed("problem", problem))


@each("kind", KINDS)
def test_each_participation_misses_and_refuses_fields_by_name(kind: str) -> None:
    for count, field in enumerate(KINDS[kind].fields):
        before = dict.fromkeys(KINDS[kind].fields[:count], 1)
        assert f"'{field}'" in complaint(changed("participation", {"kind": kind, **before}))
    given = {"kind": kind, "colour": 1} | dict.fromkeys(KINDS[kind].fields, 1)
    assert "unknown field of" in complaint(changed("participation", given))


@each("where", ["", "problem"])
def test_renamed_fields_are_refused_with_their_neighbour(where: str) -> None:
    spec = copy.deepcopy(VALID)
    inner = spec["problem"] if where else spec
    for field in list(inner):
        renamed = copy.deepcopy(spec)
        target = renamed["problem"] if where else renamed
        target[field + "_"] = target.pop(field)
        text = complaint(renamed)
        if field != "kind":
            assert f"'{field}_'" in text
            assert "did you mean" in text or "known are" in text


FIELD_NAMES = {  # the word that a refusal of the field must hold
    "problem": "problem", "problem.kind": "kind", "problem.H": "H", "problem.e": "e", "problem.p": "p",
    "x0": "x0", "rounds": "rounds", "eta": "eta", "eta_s": "eta_s", "local_steps": "local_steps",
    "schedule": "schedule", "participation": "participation", "noise": "noise", "seed": "seed",
    "options": "option", "every": "every",
}  # fmt: skip
WRONG: dict[str, Any] = {
    "null": None, "true": True, "text": "1", "object": {"a": 1}, "nan": float("nan"), "inf": float("inf"),
    "minus inf": -float("inf"), "negative": -1, "huge": 10**400, "beyond floats": 1e308 * 10,
    "nested": [[[[1]]]], "empty": [], "empties": [[]], "mixed": [1, "a"], "truths": [True, True],
    "texts": [["1", "2"], ["1", "2"], ["1", "2"]], "ragged": [[1], [1, 2]], "nulls": [None],
    "half": 0.5, "zero": 0,
}  # fmt: skip
ALLOWED = {("eta", "half"), ("eta_s", "half"), ("noise", "half"), ("noise", "zero"), ("seed", "zero"),
           ("seed", "huge"), ("schedule", "empties"), ("schedule", "ragged")}  # fmt: skip


@each("wrong", WRONG)
@each("field", FIELD_NAMES)
def test_values_of_another_kind_are_refused_by_field(field: str, wrong: str) -> None:
    spec = changed(field, WRONG[wrong])
    if (field, wrong) in ALLOWED:
        run_from_spec("fedavg", spec)
    else:
        assert FIELD_NAMES[field] in complaint(spec)


# anything that JSON can hold, and a little more
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to everything in a JSON value."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from leaves(inner, (*path, key))


@given(st.sampled_from(list(leaves(VALID))), JSON)
@example(("problem", "H", 0), 1e300)
@example(("problem", "e", 0, 0), 1e300)
@example(("x0", 0), 1e308)
@example(("problem", "H", 0), -(2**63))
def test_any_single_change_makes_a_run_or_a_sentence(path: tuple[Any, ...], value: Any) -> None:
    """Never a traceback; and what is accepted can be written as JSON and simulated, or the engine refuses."""
    spec = copy.deepcopy(VALID)
    inner: Any = spec
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    try:
        run = run_from_spec("fedavg", spec)
    except BoundkitError as error:
        ending = str(error)[-1]
    else:
        ending = "."
        simulated_or_refused(run)
    assert ending in ".?"


def simulated_or_refused(run: Run) -> None:
    json.dumps(run.to_json(), allow_nan=False)
    if run.rounds <= 50 and run.local_steps.max() <= 1000:
        try:
            seen = trajectory(run, "step")
        except BoundkitError:
            return
        json.dumps(seen.to_dict(), allow_nan=False)


@each("name", CASES)
def test_a_run_written_and_read_is_the_same_run(name: str) -> None:
    algorithm, spec = CASES[name]
    first = run_from_spec(algorithm, copy.deepcopy(spec))
    second = run_from_spec(algorithm, json.loads(json.dumps(first.to_json(), allow_nan=False)))
    assert second.to_json() == first.to_json()
    for t in range(12):  # a table of equal steps is written as one number
        np.testing.assert_array_equal(first.steps(t), second.steps(t))
        assert first.participation.distribution(t) == second.participation.distribution(t)
    for field in ("rounds", "eta", "eta_s", "seed", "tau"):
        assert getattr(first, field) == getattr(second, field), field
    for field in ("p", "noise"):
        np.testing.assert_array_equal(getattr(first.problem, field), getattr(second.problem, field))
    np.testing.assert_array_equal(first.problem.losses(first.x0), second.problem.losses(second.x0))
    assert first.algorithm.settings == second.algorithm.settings


def test_a_sampled_run_is_replayed_to_the_last_bit() -> None:
    spec = copy.deepcopy(VALID) | {"noise": 0.5, "seed": 7, "participation": {"kind": "uniform", "C": 2 / 3}}
    del spec["schedule"]
    first = run_from_spec("fedavg", spec)
    second = run_from_spec("fedavg", json.loads(json.dumps(first.to_json())))
    for name, series in trajectory(first, "step", replicas=4).observed.items():
        np.testing.assert_array_equal(trajectory(second, "step", replicas=4).observed[name], series)


def test_files_are_read_and_their_name_is_in_the_refusal(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(VALID))
    assert read_run("fedavg", path).to_json() == run_from_spec("fedavg", VALID).to_json()
    assert read_run("fedavg", path, seed=9).seed == 9
    path.write_text(json.dumps(changed("rounds", 0)))
    with pytest.raises(BoundkitError, match=r"run\.json: rounds must be a whole number"):
        read_run("fedavg", path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty, but a run is a JSON object"),
        ("{", "is not JSON"),
        ("[1, 2]", "a run must be a JSON object, but it is a list"),
        ("null", "a run must be a JSON object"),
        ('{"eta": NaN}', "NaN is not a number that a run can use"),
        ('{"eta": -Infinity}', "-Infinity is not a number"),
        ('{"eta": 1, "eta": 2}', "the field 'eta' is given twice"),
        ('{"problem": {"p": [1], "p": [1]}}', "the field 'p' is given twice"),
        ('{"eta": ' + "9" * 5000 + "}", "too many digits"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        (b"\xff\xfe", "it is not UTF-8 text"),
    ],
)
def test_what_is_not_json_is_refused_in_a_sentence(content: str | bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BoundkitError, match=r"run\.json") as caught:
        read_run("fedavg", path)
    assert words in str(caught.value)


def test_deep_lists_inside_a_field_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    for depth in (40, 200, 800):
        text = json.dumps(VALID).replace("[1.0, [1.0", "[" + "[" * depth + "1.0" + "]" * depth + ", [1.0")
        path.write_text(text)
        with pytest.raises(BoundkitError, match=r"run\.json"):
            read_run("fedavg", path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match=r"cannot read .*missing\.json: No such file"):
        read_run("fedavg", tmp_path / "missing.json")
    with pytest.raises(BoundkitError, match=r"cannot read .*: Is a directory"):
        read_run("fedavg", tmp_path)


def test_a_seed_of_any_size_is_carried_exactly() -> None:
    for seed in (2**53 + 1, 2**64 + 1, 10**321):
        assert run_from_spec("fedavg", changed("seed", seed)).to_json()["seed"] == seed


def test_fractions_of_clients_are_whole_up_to_rounding() -> None:
    spec = changed("participation", {"kind": "uniform", "C": 1 / 3})
    del spec["schedule"]
    assert run_from_spec("fedavg", spec).to_json()["participation"]["C"] == 1 / 3
