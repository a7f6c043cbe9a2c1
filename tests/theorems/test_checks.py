"""The checks that a user's own theorem gets, over the whole catalogue: ``boundkit check`` for each.

tests/analysis/check plants a wrong theorem for every check; here it is enough that none fails.
"""

from functools import cache

import pytest

from boundkit.algebra import Limit, Theorem
from boundkit.analysis.check import CHECKS, CheckResult, check
from boundkit.theorems import catalogue
from tests.representatives import representatives

EVERY = pytest.mark.parametrize("theorem", catalogue().values(), ids=lambda t: t.name)


@cache
def report_on(name: str) -> CheckResult:
    return check(catalogue()[name], catalogue())


@EVERY
def test_every_check_that_needs_no_run_passes(theorem: Theorem) -> None:
    report = report_on(theorem.name)
    assert [f.check for f in report.findings] == list(CHECKS)
    assert not report.failures, report.to_text()


@EVERY
def test_what_matters_is_not_left_out(theorem: Theorem) -> None:
    report = report_on(theorem.name)
    outcomes = {f.check: f.outcome for f in report.findings}
    always = ("dimensions", "scale", "letters", "fractions", "reasons", "source", "agreement", "signs")
    assert {outcomes[name] for name in always} == {"pass"}
    assert (outcomes["limits"] == "pass") == bool(theorem.limits)
    assert (outcomes["reductions"] == "pass") == bool(theorem.reductions)
    assert (outcomes["definitions"] == "pass") == bool(theorem.definitions or theorem.solvers)


@pytest.mark.parametrize("name", representatives(n for n, t in catalogue().items() if t.limits))
def test_a_limit_that_forgets_a_term_is_caught(name: str) -> None:
    terms = catalogue()[name].bound.terms
    for limit in (one for one in catalogue()[name].limits if one.holds):
        for removes in ((), tuple(terms)):
            assert Limit(limit.when, removes).check(terms) or set(removes) == set(limit.removes)
