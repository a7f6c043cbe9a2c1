"""The decorator that runs many cases in one item."""

from typing import Any

import pytest

from tests.cases import each


def items_of(test: Any) -> list[Any]:
    """The parameter sets that pytest makes items of."""
    (mark,) = test.pytestmark
    return list(mark.args[1])


def test_every_case_runs_until_one_fails_which_is_named() -> None:
    ran = []

    @each("a, b", [(1, 2), (3, 4), (5, 6)])
    def one(a: int, b: int) -> None:
        ran.append((a, b))
        assert a != 3

    (item,) = items_of(one)
    with pytest.raises(AssertionError) as error:
        one(a_b_cases=item.values[0])
    assert ran == [(1, 2), (3, 4)]
    assert error.value.__notes__ == ["one, case 3, 4"]


def test_cases_with_marks_are_an_item_of_their_own() -> None:
    @each("a", [1, pytest.param(2, marks=pytest.mark.slow), 3])
    def one(a: int) -> None:
        assert a == 2

    fast, slow = items_of(one)
    assert (fast.marks, [mark.name for mark in slow.marks]) == ((), ["slow"])
    one(a_cases=slow.values[0])
    with pytest.raises(AssertionError):
        one(a_cases=fast.values[0])


def test_a_skipped_case_skips_no_other() -> None:
    ran = []

    @each("a", [1, 2, 3])
    def one(a: int) -> None:
        if a < 3:
            pytest.skip("not here")
        ran.append(a)

    (item,) = items_of(one)
    one(a_cases=item.values[0])
    assert ran == [3]
    with pytest.raises(pytest.skip.Exception):
        one(a_cases=item.values[0][:2])
