"""Stated limits and reductions: constants inside sums violate them, constant factors do not."""

from __future__ import annotations

from boundkit.attack.mutation import generate_mutants
from boundkit.attack.mutation.mutant import Mutant
from boundkit.attack.mutation.stated_relations import find_undefined, find_violated_relation
from boundkit.theorems import catalogue, theorem


def one(name: str, what: str) -> Mutant:
    return next(m for m in generate_mutants(theorem(name)) if m.what == what)


DRIFT, PARTICIPATION, START_UP = (
    ("fedavg_nonconvex", "noise drift: -1/2 for -1 in tau - 1"),
    ("fedavg_nonconvex_partial", "partial participation: 1/2 for 1 in 1 - C"),
    ("fedvarp_nonconvex_sharp", "start-up of stored updates: 1/2 for 1 in 1 - C"),
)


def test_constants_inside_sums_violate_limits() -> None:
    for name, what in (DRIFT, PARTICIPATION, START_UP):
        result = find_violated_relation(one(name, what), catalogue())
        assert result is not None
        assert result[0] == "limit", name
    negative = find_violated_relation(one(*START_UP), {})
    assert negative is not None
    assert negative[1].endswith("its start-up of stored updates is below 0")


def test_a_constant_factor_violates_nothing() -> None:
    for name, what in (
        ("fedavg_nonconvex", "initial gap: 2 for 4"),
        ("fednova_nonconvex", "initial gap: 1/2 for 1 in chi2*(beta^2 - 1) + 1"),  # half: the first theorem
    ):
        assert find_violated_relation(one(name, what), catalogue()) is None, what


def test_a_term_that_is_no_real_number_is_no_theorem() -> None:
    name = "accelerated_local_sgd_strongly_convex"
    below = find_undefined(one(name, "initial gap: 1/2 for 1 in 1 - (1 - beta_s)^2/(beta_s + 1)^2"))
    assert below.endswith("its initial gap is not a real number")
    for what in (
        "initial gap: 1/2 for 1 in 1 - beta_s",  # a smaller q_0, below 1
        "initial gap: 1 - beta_s for (1 - beta_s)^2 in 1 - (1 - beta_s)^2/(beta_s + 1)^2",  # at most 1
        "initial gap: left out",
    ):
        assert find_undefined(one(name, what)) == "", what
