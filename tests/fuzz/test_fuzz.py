"""Whatever is typed is answered or refused: exit code 0, 1 or 2, no traceback, and in time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

import pytest

from boundkit.cli.commands import COMMANDS
from tests.fuzz.command_lines import UNBOUNDED, command_of, command_table, make_case
from tests.fuzz.runner import Defect, counts_of, judged, run_seeds

BLOCKS, LONG = 20, 500
"""The long run has 20 blocks of 500 cases, from seed 1000 on; tests/fuzz/runner.py runs any others."""


def short() -> list[int]:
    """The first seed of each command of bounded length."""
    found: dict[str, int] = {}
    for seed in count():
        found.setdefault(command_of(make_case(seed, bounded=True).argv), seed)
        if set(COMMANDS) - UNBOUNDED <= set(found):
            return sorted(found.values())
    raise AssertionError


def defects_of(seeds: Iterable[int], bounded: bool) -> list[Defect]:
    return [defect for _, defects in run_seeds(seeds, bounded) for defect in defects]


def said(defects: list[Defect]) -> str:
    return f"{counts_of(defects)}\n\n" + "\n\n".join(map(str, defects[:10]))


def test_every_command_is_drawn() -> None:
    cases = [make_case(seed) for seed in range(700)]
    drawn = {command_of(case.argv) for case in cases}
    assert set(COMMANDS) <= drawn
    assert set(command_table()) == set(COMMANDS) >= UNBOUNDED
    assert not [case for case in cases if {"--keep", "--download", "--scheduler"} & set(case.argv)]


def test_a_seed_makes_the_same_case_again() -> None:
    assert [make_case(seed) for seed in range(50)] == [make_case(seed) for seed in range(50)]


def test_some_commands_of_bounded_length() -> None:
    defects = defects_of(short(), bounded=True)
    assert not defects, said(defects)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_ten_thousand_commands(block: int) -> None:
    first = 1000 + block * LONG
    defects = defects_of(range(first, first + LONG), bounded=False)
    assert not defects, said(defects)


GOOD: dict[str, Any] = {
    "seed": 0, "code": 0, "thrown": None, "interrupted": False, "seconds": 0.1, "out": "", "err": "",
    "written": {},
}  # fmt: skip


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"code": None, "thrown": "Traceback (most recent call last):\nValueError"}, "traceback"),
    ({"err": "Traceback (most recent call last):\n  File\nValueError\n"}, "traceback"),
    ({"code": 3}, "exit code"),
    ({"code": 130}, "exit code"),
    ({"code": None, "thrown": "KeyboardInterrupt", "interrupted": True}, "hang"),
    ({"code": 130, "interrupted": True}, "hang"),
    ({"code": 2, "err": ""}, "message"),
    ({"code": 2, "err": "boundkit: one.\nboundkit: two.\n"}, "message"),
    ({"code": 2, "err": "boundkit: no end\n"}, "message"),
    ({"code": 2, "err": f"boundkit: {'x' * 5000}.\n"}, "message"),
    ({"code": 2, "err": "boundkit: no.\n", "out": "something"}, "output"),
    ({"code": 2, "err": "boundkit: no.\n", "written": {"out.json": None}}, "file"),
    ({"written": {"out.json": "it is empty"}}, "file"),
    ({"written": {"PWNED": None}}, "execution"),
    ({"err": "/a/file.py:3: RuntimeWarning: overflow\n"}, "warning"),
)


def test_what_is_wrong_with_an_answer_is_seen() -> None:
    case = next(c for c in map(make_case, range(1000)) if c.argv[:1] == ("list",) and "--json" not in c.argv)
    for changes, kind in WRONG:
        assert [found for found, _ in judged(case, GOOD | changes)] == [kind], changes
    assert not list(judged(case, GOOD))
    assert not list(judged(case, GOOD | {"code": 2, "err": "warning: a.\nboundkit: no.\n"}))
