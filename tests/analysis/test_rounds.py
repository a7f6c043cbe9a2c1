from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import T
from boundkit.analysis.predict import predict
from boundkit.analysis.rounds import ROUNDING, rounds_to
from boundkit.analysis.tune import tune
from boundkit.theorems import catalogue, theorem
from tests.analysis.asking import usual
from tests.cases import each
from tests.representatives import representatives

PARTIAL = theorem("fedavg_nonconvex_partial")
RISES_WITH_T = {
    "biased_selection_strongly_convex_fixed",
    "fedavg_strongly_convex_average_drift",  # a typical start is nearer than the limit of these three
    "fedadagrad_nonconvex",  # at steps that do not fall with T
    "accelerated_local_sgd_convex",  # whose noise drift grows with T
    "fedavg_strongly_convex_floor_lower",  # lower bounds of errors that grow to their floors
    "fedavg_convex_piecewise_floor_lower",
}


@each("name", representatives(n for n, t in catalogue().items() if T in t.quantities))
@each("wanted", [20, 5000, 10**12])
def test_one_round_less_is_not_enough(name: str, wanted: int) -> None:
    """The bound at a count of rounds, asked back: that count, or fewer where the bound is flat there."""
    statement = theorem(name)
    asked = usual(statement, eta=1e-3)
    eps = float(predict(statement, T=wanted, **asked).total)
    if eps == 0:  # a geometric rate after 10^12 rounds
        return
    if statement.name in RISES_WITH_T:
        with pytest.raises(BoundkitError, match="does not fall with T"):
            rounds_to(statement, eps, **asked)
        return
    answer = rounds_to(statement, eps, **asked)
    if answer.rounds is None:  # the floor itself, to the last digit
        assert eps == pytest.approx(answer.floor, rel=1e-12)
        return
    assert answer.rounds <= wanted
    assert answer.bound is not None
    assert predict(statement, T=answer.rounds, **asked).total == answer.bound
    assert answer.bound <= eps * (1 + ROUNDING)
    assert answer.rounds == 1 or predict(statement, T=answer.rounds - 1, **asked).total > eps * (1 + ROUNDING)


@settings(max_examples=30, deadline=None)
@given(eps=st.floats(1e-3, 1e3), eta=st.floats(1e-6, 0.5))
def test_the_inverse_of_minibatch_sgd(eps: float, eta: float) -> None:
    answer = rounds_to(theorem("sgd_nonconvex"), eps, eta=eta, m=50, L=1, sigma=1, gap=1)
    if eps <= eta / 50:
        assert answer.rounds is None
    else:
        exact = 2 / (eta * (eps - eta / 50))
        assert answer.rounds in {ceil(exact * (1 - 1e-9)), ceil(exact), ceil(exact * (1 + 1e-9))}


def test_below_the_floor_it_says_what_the_floor_is_made_of() -> None:
    answer = rounds_to(PARTIAL, 0.01, eta=0.001)
    assert (answer.rounds, answer.prediction, answer.bound) == (None, None, None)
    assert answer.floor == pytest.approx(0.0004 + 7.2e-05 + 0.00288 + 0.010909090909)
    assert answer.floor_dominant == "partial participation"
    assert "76.5 % of it partial participation" in answer.note


def test_tuned_needs_no_more_rounds_than_any_fixed_step() -> None:
    answer = rounds_to(PARTIAL, 0.05, tuned=True)
    assert answer.rounds is not None
    assert tune(PARTIAL, T=answer.rounds).bound <= 0.05 < tune(PARTIAL, T=answer.rounds - 1).bound
    for eta in (1e-4, 1e-3, 3e-3):
        fixed = rounds_to(PARTIAL, 0.05, eta=eta).rounds
        assert fixed is None or fixed >= answer.rounds


def test_outside_the_condition_it_says_so() -> None:
    assert rounds_to(theorem("sgd_nonconvex"), 10, eta=5).holds is False
    assert rounds_to(theorem("sgd_nonconvex"), 10, eta=0.5).holds is True


@pytest.mark.parametrize(
    ("given", "sentence"), [({"T": 3}, "T is what is looked for"), ({"eta": [0.1, -1]}, "eta = -1 was given")]
)
def test_what_rounds_does_not_take(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        rounds_to(PARTIAL, 0.1, **given)  # type: ignore[arg-type]


@each(("eps", "rounds"), [(0.21, 100), (0.11, 200), (0.06, 400), (0.41, 50)])
def test_a_target_that_is_met_exactly_is_met(eps: float, rounds: int) -> None:
    """20/T + 0.01, in which the last digit of the sum is a matter of rounding."""
    assert rounds_to(theorem("sgd_nonconvex"), eps, m=10, eta=0.1).rounds == rounds


def test_a_target_at_the_floor_is_never_met() -> None:
    for eta in (0.1, 0.3, 0.7):
        answer = rounds_to(theorem("sgd_nonconvex"), eta * 0.1, m=10, eta=eta)
        assert answer.rounds is None
        assert "never falls below its floor" in answer.note


def test_tuned_rounds_where_few_rounds_are_worth_no_step() -> None:
    strongly = theorem("fedavg_strongly_convex_partial")
    assert tune(strongly, T=7).outcome == "infimum at 0"
    answer = rounds_to(strongly, 0.5, tuned=True)
    assert answer.rounds is not None
    assert tune(strongly, T=answer.rounds).bound <= 0.5 < tune(strongly, T=answer.rounds - 1).bound
    with pytest.raises(BoundkitError, match="has its infimum as eta goes to 0"):
        rounds_to(strongly, 0.5, tuned=True, distance=0)
