"""Constants inside sums are asked for limits; terms do not fall below 0; factors are no mistake here."""

from __future__ import annotations

import pytest

from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.stated_relations import find_violated_relation
from boundkit.theorems import catalogue, theorem


def one(name: str, what: str) -> Mutant:
    return next(m for m in generate_mutants(theorem(name)) if m.what == what)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("fedavg_nonconvex", "noise drift: -1/2 for -1 in tau - 1"),
        ("fedavg_nonconvex_partial", "partial participation: 1/2 for 1 in 1 - C"),
        ("fedvarp_nonconvex_sharper", "start-up of the memory: 1/2 for 1 in 1 - C"),
    ],
)
def test_constants_inside_sums_break_limits(name: str, what: str) -> None:
    found = find_violated_relation(one(name, what), catalogue())
    assert found is not None
    assert found[0] == "limit"


def test_a_term_does_not_fall_below_zero() -> None:
    found = find_violated_relation(
        one("fedvarp_nonconvex_sharper", "start-up of the memory: 1/2 for 1 in 1 - C"), {}
    )
    assert found is not None
    assert found[1].endswith("its start-up of the memory is below 0")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("fedavg_nonconvex", "initial gap: 2 for 4"),
        ("fednova_nonconvex", "initial gap: 1/2 for 1 in chi2*(beta^2 - 1) + 1"),  # half: the first theorem
    ],
)
def test_a_factor_breaks_nothing(name: str, what: str) -> None:
    assert find_violated_relation(one(name, what), catalogue()) is None
