"""Every theorem that can be asked: instances <= worst case <= bound, the instances by another route."""

import numpy as np

from boundkit.attack.pep import TOLERANCE
from boundkit.theorems import theorem
from tests.attack.pep.answers import ASKABLE, alike, answer
from tests.attack.pep.instances import draw, measured
from tests.attack.pep.needs import needs_pepit
from tests.cases import each
from tests.representatives import aside

pytestmark = needs_pepit

EACH_KIND = aside(ASKABLE, *alike(ASKABLE))
"""Those of one class and claim have one program; they differ in the step at which it is solved."""

NO_OTHER_LOSSES = (
    "fedavg_convex",
    "fedavg_nonconvex_partial",
    "fedavg_strongly_convex_drift_limit",
    "fedavg_strongly_convex_partial",
    "fednova_nonconvex",
)
"""Their losses, rounds and claims are drawn and measured for others too."""


@each("name", EACH_KIND)
def test_no_worst_case_lies_above_its_bound(name: str) -> None:
    found = answer(name)
    assert found.inside
    assert found.open <= TOLERANCE
    assert found.value <= found.bound * (1 + TOLERANCE)
    assert not found.refutes


@each("name", aside(ASKABLE, *alike(ASKABLE), *NO_OTHER_LOSSES))
def test_of_a_hundred_random_problems_none_is_worse_and_one_comes_near(name: str) -> None:
    found, rng = answer(name), np.random.default_rng(0)
    setting = dict(found.setting)
    drawn = (draw(theorem(name), setting["m"], setting.get("mu", 0.0), rng) for _ in range(100))
    worst = max(measured(theorem(name), setting, *one) for one in drawn)
    assert worst <= found.value * (1 + TOLERANCE)
    assert worst >= 0.5 * found.value
