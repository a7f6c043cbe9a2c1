"""Slopes on digits: the exponents of formulas by hand, and what is read of numbers that are known."""

import numpy as np
import pytest

from boundkit.simulation.arrays import Array
from boundkit.studies.demonstrations._training import log_slopes, slope_over_replicas
from boundkit.studies.demonstrations.slopes_on_digits import (
    TERMS,
    SlopePoint,
    SlopeSweep,
    row,
    sweeps,
    together,
    verdict,
    without,
)
from tests.cases import each


def by_name() -> dict[tuple[str, str], SlopeSweep]:
    return {(one.cause, one.letter): one for one in sweeps()}


def made_of_terms(factor: Array) -> dict[SlopePoint, Array]:
    """What every run would measure if each term added its own, with a factor a replica."""
    asked = {own for one in sweeps() for at in one.points for own in (at, without(at, one.cause))}
    all_at_once = SlopePoint(tau=4, C=0.2, batch=2)
    asked |= {
        all_at_once,
        SlopePoint(tau=4),
        SlopePoint(tau=4, C=0.2),
        SlopePoint(tau=4, batch=2),
        SlopePoint(),
    }
    return {
        at: factor
        * (
            1e-6
            + TERMS["drift"](at)
            + TERMS["participation"](at)
            + (0 if at.batch is None else TERMS["noise"](at) / at.C)
        )
        for at in asked
    }


def test_exponents_of_the_terms_by_hand() -> None:
    found = {key: one.exponent(TERMS[one.cause]) for key, one in by_name().items()}
    drift = np.polyfit(np.log([2, 4, 8]), np.log([2, 12, 56]), 1)[0]
    assert found.pop(("drift", "tau")) == pytest.approx(drift, rel=1e-12)
    exact = {
        ("drift", "eta"): 2, ("participation", "(1-C)/C"): 1, ("participation", "tau"): 1,
        ("participation", "eta"): 1, ("noise", "batch"): -1, ("noise", "tau"): 0, ("noise", "eta"): 1,
    }  # fmt: skip
    assert found == pytest.approx(exact, abs=1e-12)
    rivals = by_name()["drift", "tau"].rivals
    squares = np.polyfit(np.log([2, 4, 8]), np.log([1, 9, 49]), 1)[0]
    assert by_name()["drift", "tau"].exponent(rivals["(tau - 1)^2"]) == pytest.approx(squares, rel=1e-12)


def test_runs_made_of_the_terms_give_their_exponents_and_add_up() -> None:
    seen = made_of_terms(np.array([1.0, 2.0, 5.0]))
    for one in sweeps():
        found = row(one, seen)
        assert found.slope == pytest.approx(found.term, abs=1e-6)
        assert found.high - found.low < 1e-6  # a factor of a replica moves no exponent
        assert one.x(one.points[0]) == pytest.approx(found.first)
    assert together(seen, SlopePoint(tau=4, C=0.2, batch=2)) == pytest.approx(np.ones(3), rel=1e-9)


def test_what_the_interval_holds_is_not_told_apart() -> None:
    one = by_name()["participation", "(1-C)/C"]
    rng = np.random.default_rng(0)
    # Points come from a set: without an order of their own each run would draw something else for each.
    made = sorted(made_of_terms(np.ones(3)).items(), key=lambda item: repr(item[0]))
    seen = {at: values * rng.lognormal(0, 0.02, 3) for at, values in made}
    found = row(one, seen)
    assert (found.found, found.also) == ("as the term says", "(1-C)/C")
    wide = {at: values * rng.lognormal(0, 2, 3) for at, values in made}
    assert "(1-C)/C" in row(one, wide).also or row(one, wide).found != "as the term says"


@each(
    ("low", "high", "said"),
    [
        (1.1, 1.3, "larger than the term's"),
        (0.2, 0.9, "smaller than the term's"),
        (0.8, 1.1, "as the term says"),
        (0.4, 1.6, "not told: the interval holds half a power more"),
    ],
)
def test_verdicts(low: float, high: float, said: str) -> None:
    assert verdict(low, high, 1.0) == said


def test_slopes_over_replicas_by_hand() -> None:
    x = np.array([1.0, 2.0, 4.0])
    each = np.stack([x**2, 3 * x**2.2])
    assert log_slopes(x, each) == pytest.approx([2, 2.2])
    found = slope_over_replicas(x, each)
    margin = 12.706204736 * 0.1  # Student t with one degree of freedom, times 0.2/sqrt(2)/sqrt(2)
    assert (found.low, found.high) == pytest.approx((2.1 - margin, 2.1 + margin), rel=1e-8)
