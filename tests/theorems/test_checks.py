"""The checks that a user's own theorem gets, over the whole catalogue: ``boundkit check`` for each.

tests/analysis/check plants a wrong theorem for every check; here it is enough that none fails.
"""

from boundkit.algebra import Limit
from boundkit.analysis.check import CHECKS, check
from boundkit.theorems import catalogue
from tests.cases import each
from tests.representatives import representatives

ALWAYS = ("dimensions", "scale", "letters", "fractions", "reasons", "source", "agreement", "signs")


@each("name", representatives())
def test_every_theorem_passes_every_check_that_applies_to_it(name: str) -> None:
    """One of each algorithm and kind is never slow: the others have the statements that were checked."""
    theorem = catalogue()[name]
    result = check(theorem, catalogue())
    assert not result.failures, result.to_text()
    outcomes = {f.check: f.outcome for f in result.checks}
    assert list(outcomes) == list(CHECKS)
    assert {outcomes[each] for each in ALWAYS} == {"pass"}
    stated = {
        "limits": theorem.limits,
        "reductions": theorem.reductions,
        "definitions": theorem.definitions or theorem.solvers,
    }
    assert {each for each in stated if outcomes[each] == "pass"} == {k for k, v in stated.items() if v}


@each("name", representatives(n for n, t in catalogue().items() if t.limits))
def test_a_limit_that_forgets_a_term_is_caught(name: str) -> None:
    terms = catalogue()[name].bound.terms
    for limit in (one for one in catalogue()[name].limits if one.holds):
        for removes in ((), tuple(terms)):
            assert Limit(limit.when, removes).check(terms) or set(removes) == set(limit.removes)
