from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import eta, gap, tau
from boundkit.analysis.adacomm import AS_DERIVED, AS_PRINTED, next_steps, power_law_converges
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.sensitivity import sensitivity
from boundkit.theorems import theorem


def test_the_steps_fall_with_the_root_of_the_loss() -> None:
    assert [next_steps(f, 1.0, 20) for f in (1.0, 0.81, 0.25, 0.01, 1e-9, 0.0)] == [20, 18, 10, 2, 1, 1]
    assert next_steps(0.2501, 1.0, 20) == 11  # rounded up


def test_a_constant_added_to_the_loss_changes_nothing() -> None:
    for shift in (-3.0, 0.0, 5.0):
        assert next_steps(0.25 + shift, 1.0 + shift, 20, infimum=shift) == 10
    # which the ratio as printed does not do: F_inf = 0 supposed
    assert next_steps(5.25, 6.0, 20) == 19


def test_a_decaying_step_asks_for_more_steps() -> None:
    assert next_steps(1.0, 1.0, 10, step_ratio=4) == 20
    assert next_steps(1.0, 1.0, 10, step_ratio=4, power=AS_DERIVED) == 80
    assert next_steps(1.0, 1.0, 10, step_ratio=4, power=AS_PRINTED) == 20


def test_it_shrinks_where_the_rule_would_not() -> None:
    assert next_steps(1.0, 1.0, 20, previous=20) == 10
    assert next_steps(0.81, 1.0, 20, previous=18) == 9
    assert next_steps(0.81, 1.0, 20, previous=19) == 18
    assert next_steps(1.0, 1.0, 20, previous=5, shrink=0.9) == 5  # ceil(4.5)
    assert next_steps(1.0, 1.0, 20, previous=1) == 1


def test_the_power_of_the_step_is_that_of_the_best_tau_against_the_clock() -> None:
    effect = sensitivity(theorem("local_sgd_nonconvex_clock"), "tau", tuned=False).effect("tau")
    (best,) = {r.where[-1].rhs for r in effect.regions if r.where[-1].lhs == tau}
    values = {q.name: float(q.typical) for q in best.free_symbols}
    smaller = {**values, "eta": values["eta"] / 4, "gap": values["gap"] * 0.25}
    ratio = float(evaluate(best, smaller)) / float(evaluate(best, values))
    assert {eta, gap} <= best.free_symbols
    assert ratio == pytest.approx(np.sqrt(0.25 * 4**AS_DERIVED))
    assert next_steps(0.25, 1.0, 1000, step_ratio=4, power=AS_DERIVED) == round(1000 * ratio)


@pytest.mark.parametrize(
    ("step_power", "steps_power"), [(0.75, 0), (1.0, 0.5), (0.4, 0), (1.2, 0), (0.6, 0.4), (0.9, -1)]
)
def test_schedules_by_their_sums(step_power: float, steps_power: float) -> None:
    """A sum of r^-p doubles its tail's terms as r doubles: it converges where blocks of doublings shrink."""
    found = power_law_converges(step_power, steps_power)
    blocks = [np.arange(2.0**k, 2.0 ** (k + 1)) for k in (15, 16, 17)]
    ratios = []
    for a, b in ((1, 1), (2, 1), (3, 2)):
        sums = [np.sum(r ** (-a * step_power) * np.ceil(3 * r**steps_power) ** b) for r in blocks]
        ratios.append(sums[2] / sums[1])
    assert found.start_forgotten == (ratios[0] > 1 - 1e-3)
    assert found.noise_summable == (ratios[1] < 1 - 1e-3)
    assert found.drift_summable == (ratios[2] < 1 - 1e-3)
    assert bool(found) == ((step_power, steps_power) in {(0.75, 0), (1.0, 0.5), (0.9, -1)})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"loss": -1.0}, "no loss is below the infimum"),
        ({"first_loss": 0.0}, "the first one must be above it"),
        ({"loss": inf}, "no loss is below the infimum"),
        ({"tau_0": 0}, "tau_0 = 0 was given"),
        ({"tau_0": 2.5}, "must be a whole number, at least 1"),
        ({"previous": 0}, "previous = 0 was given"),
        ({"shrink": 1.0}, "above 0 and below 1"),
        ({"step_ratio": 0.0}, "above 0 and finite"),
        ({"power": 2}, "it is 1"),
    ],
)
def test_mistakes(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        next_steps(**{"loss": 0.5, "first_loss": 1.0, "tau_0": 10, **given})


def test_powers_are_finite() -> None:
    with pytest.raises(BoundkitError, match="both must be finite"):
        power_law_converges(inf)
