"""Every demonstration runs, in its quick form where it has one, and its result can be read and printed."""

import inspect
import json

from boundkit.studies.demonstrations import demonstration, names, options, sentence
from boundkit.verification.tabular_result import tabulate_result
from tests.cases import each
from tests.representatives import aside
from tests.studies.demonstrations import quickly

ELSEWHERE = (
    "client_availability", "clipping", "cyclic_groups_on_digits", "equal_communication", "fednova_table",
    "heterogeneous_texts", "label_flipping", "number_of_candidates", "power_of_choice", "relaxed_smoothness",
    "selection_fairness", "server_steps", "slopes_on_digits", "stored_updates_on_digits",
    "unequal_availability",
)  # fmt: skip
"""They take seconds, and tests of their own run them."""


@each("name", aside(names(), *ELSEWHERE))
def test_it_runs_and_its_result_can_be_read(name: str) -> None:
    result, progress = quickly.run(name)
    table = tabulate_result(name, sentence(name), result)
    assert table.columns
    assert all(len(column) for column in table.columns.values())
    assert sorted(column for _, table in table.tables for column in table) == sorted(table.columns)
    assert json.dumps(table.to_dict(), allow_nan=False)
    if "progress" in options(name):
        assert [done for done, _ in progress] == sorted(done for done, _ in progress)
        assert {total for _, total in progress} == {progress[-1][0]}


def test_options_are_those_of_the_function_and_all_have_defaults() -> None:
    for name in names():
        parameters = inspect.signature(demonstration(name)).parameters
        assert options(name) == set(parameters), name
        assert all(p.default is not p.empty for p in parameters.values()), name
        if "quick" in parameters:
            assert {"jobs", "progress"} <= set(parameters), name
            assert parameters["quick"].default is False, name
