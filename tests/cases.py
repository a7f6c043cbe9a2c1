"""Many cases in one test: pytest spends milliseconds on each item that it collects, runs and reports."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
_WITH_MARKS = type(pytest.param())


def thinned(cases: Iterable[Any], count: int) -> list[Any]:
    """The cases, of which all but ``count``, at even distances, are marked slow.

    For cases of one kind: each of them is an instance of one property, and no two take different paths.

    >>> [one.values[0] for one in thinned("abcdef", 3) if not one.marks]
    ['a', 'c', 'e']
    """
    every = list(cases)
    assert 0 < count <= len(every)
    fast = {k * len(every) // count for k in range(count)}
    given = [one if isinstance(one, tuple) else (one,) for one in every]
    return [pytest.param(*v, marks=() if k in fast else pytest.mark.slow) for k, v in enumerate(given)]


def each(
    names: str | Sequence[str],
    cases: Iterable[Any],
    ids: Sequence[str] | Callable[[Any], str] | None = None,
) -> Callable[[Test], Test]:
    """Run a test on every case, as ``pytest.mark.parametrize`` does, but in one item.

    The first case that fails ends the test and is named in a note of the error. Cases with marks, say
    ``slow``, are an item of their own. Fixtures are shared by the cases: a test that writes files needs
    ``pytest.mark.parametrize``.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    groups: dict[tuple[str, ...], list[tuple[str, tuple[Any, ...]]]] = {}
    marks: dict[tuple[str, ...], Sequence[Any]] = {}
    for place, case in enumerate(cases):
        values = [case] if len(arguments) == 1 else case
        one = case if isinstance(case, _WITH_MARKS) else pytest.param(*values)
        assert len(one.values) == len(arguments), f"{names}: {one.values!r}"
        if isinstance(one.id, str):
            label = one.id
        elif ids is not None:
            label = ", ".join(map(ids, one.values)) if callable(ids) else ids[place]
        else:
            label = ", ".join(map(repr, one.values))
        key = tuple(str(mark) for mark in one.marks)
        groups.setdefault(key, []).append((label, tuple(one.values)))
        marks[key] = tuple(one.marks)
    assert groups, f"no case of {names}"
    whole = "_".join(arguments) + "_cases"

    def over_cases(test: Test) -> Test:
        signature = inspect.signature(test)
        assert set(arguments) <= set(signature.parameters), f"{test.__name__} takes no {names}"

        @wraps(test)
        def run(**fixtures: Any) -> None:
            group, skipped = fixtures.pop(whole), []
            for label, values in group:
                try:
                    test(**fixtures, **dict(zip(arguments, values, strict=True)))
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except BaseException as error:
                    error.add_note(f"{test.__name__}, case {label}")
                    raise
            if len(skipped) == len(group):
                raise skipped[0]

        rest = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        rest.append(inspect.Parameter(whole, inspect.Parameter.KEYWORD_ONLY))
        run.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        items = [
            pytest.param(group, marks=marks[key], id="+".join(["cases", *(mark.name for mark in marks[key])]))
            for key, group in groups.items()
        ]
        one_item: Test = pytest.mark.parametrize(whole, items)(run)
        return one_item

    return over_cases
