"""Fields of every family with values of other types: a problem, or one sentence that names the field."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boundkit.algebra import BoundkitError
from boundkit.simulation.problems import PROBLEM_FIELDS, PROBLEMS, problem_from_spec
from tests.cases import each
from tests.simulation.problems.families import FAMILIES
from tests.simulation.test_run_file import JSON, WRONG, leaves

WRITTEN: dict[str, dict[str, Any]] = {}
for _make in FAMILIES.values():
    _spec = _make().to_json()
    WRITTEN.setdefault(_spec["kind"], _spec)
OTHERS: dict[str, dict[str, Any]] = {
    "polynomial": {"L1": 1.5, "rho_zeta": 9.0},
    "quadratic": {"parts": [[[0.0] * len(c)] for c in WRITTEN["quadratic"]["e"]]},
    "clipping_instance": {"target": 0.5},
    "huber": {"l": [[1.0, -0.5], [-2 / 3, 1 / 3], [0.0, 0.0]]},
    "logistic": {"p": [0.2, 0.3, 0.5]},
    "network": {
        "data": {"X": [[0.1, 2.0], [1.0, -1.0], [0.5, 0.0], [3.0, 1.0]], "y": [0, 1, 1, 2]},
        "partition": {"kind": "iid", "num_partitions": 2, "seed": 1},
        "batch": 2,
        "order": "shuffled",
        "p": [0.5, 0.5],
    },
}
FULL = {kind: spec | OTHERS.get(kind, {}) for kind, spec in WRITTEN.items()}
ALLOWED = {
    ("polynomial", "coefficients"): {"ragged"},  # two clients of degrees 0 and 1
    ("exponential", "L0"): {"half"}, ("exponential", "L1"): {"half"}, ("polynomial", "L1"): {"half"},
    ("polynomial", "rho_zeta"): {"half"}, ("clipping_instance", "target"): {"half"},
    ("clipping_instance", "L0"): {"half"}, ("clipping_instance", "L1"): {"half"},
    ("clipping_instance", "grad_max"): {"half"}, ("logistic", "alpha"): {"half", "zero"},
    ("logistic", "beta"): {"half", "zero"}, ("logistic", "l2"): {"half"}, ("logistic", "seed"): {"zero"},
    ("network", "l2"): {"half", "zero"}, ("huber", "floor"): {"half", "zero"},
    **{("huber", end): {"null", "inf", "beyond floats"} for end in "ab"},
}  # fmt: skip


def sentence(spec: Any) -> str:
    with pytest.raises(BoundkitError) as caught:
        problem_from_spec(spec)
    text = str(caught.value)
    assert text.endswith((".", "?"))
    assert len(text) < 400
    return text


def test_every_family_is_tested() -> None:
    assert set(FULL) == set(PROBLEMS)
    for kind, (required, optional) in PROBLEM_FIELDS.items():
        assert set(FULL[kind]) - {"kind"} <= {*required, *optional}
        missing = {*required, *optional} - set(FULL[kind])
        assert not missing, (kind, missing)
        problem_from_spec(FULL[kind])


@each("kind", FULL)
def test_values_of_other_types_are_refused_by_field(kind: str) -> None:
    for field in FULL[kind]:
        for name, value in WRONG.items():
            spec = FULL[kind] | {field: value}
            if name in ALLOWED.get((kind, field), ()):
                problem_from_spec(spec)
            else:
                assert field in sentence(spec), (field, name)


@each("kind", FULL)
def test_unknown_fields_are_refused_with_the_nearest(kind: str) -> None:
    for field in PROBLEM_FIELDS[kind][0]:
        spec = copy.deepcopy(FULL[kind])
        spec[field + "_"] = spec.pop(field)
        assert f"'{field}_'" in sentence(spec)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([p for kind in FULL for p in leaves({kind: FULL[kind]}) if len(p) > 1]), JSON)
@example(("exponential", "e", 0, 0), 1e300)
@example(("exponential", "L1"), 1e300)
@example(("exponential", "L0"), 1e300)
@example(("exponential", "s", 0), 1e-300)
@example(("polynomial", "coefficients", 0, 0), 1e100)
@example(("polynomial", "coefficients", 0, 0), -1e100)
@example(("polynomial", "coefficients", 0, 0), 1e-300)
@example(("polynomial", "L1"), 1e-300)
@example(("polynomial", "L1"), 1e300)
@example(("logcosh", "e", 0, 0), 1e300)
@example(("logcosh", "h", 0, 0), 1e300)
@example(("logcosh", "h", 0, 0), 1e-300)
@example(("huber", "e", 0, 0), 1e300)
@example(("huber", "h", 0, 0), 1e-300)
@example(("huber", "a", 0, 0), None)
@example(("huber", "b", 0, 0), 1e300)
@example(("huber", "floor"), 1e300)
@example(("logistic", "alpha"), 1e300)
@example(("logistic", "beta"), 1e200)
@example(("logistic", "l2"), 1e300)
@example(("logistic", "l2"), 1e-300)
@example(("logistic", "features"), 10**6)
@example(("logistic", "classes"), 10**6)
@example(("clipping_instance", "clients"), 10**6)
@example(("clipping_instance", "L0"), 1e300)
@example(("clipping_instance", "L0"), 1e-300)
@example(("clipping_instance", "L1"), 1e300)
@example(("clipping_instance", "grad_max"), 1e300)
@example(("clipping_instance", "gap"), 1e300)
@example(("smooth_nonconvex", "e", 0, 0), 1e300)
def test_any_single_change_gives_a_problem_or_one_sentence(path: tuple[Any, ...], value: Any) -> None:
    """Never a traceback or a warning; what is accepted can be written, observed and asked for constants."""
    spec = copy.deepcopy(FULL)
    inner: Any = spec
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    try:
        problem = problem_from_spec(spec[path[0]])
        json.dumps(problem.to_json(), allow_nan=False)
        x0 = np.full(problem.d, 0.5)
        problem.observe(x0)
        found = problem.constants(x0)
    except BoundkitError as error:
        said = str(error)
    else:
        said = "none."
        assert not any(np.isnan(c.value) for c in found.values())
    assert len(said) < 400
    assert said.endswith((".", "?"))
