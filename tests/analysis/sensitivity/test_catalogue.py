"""Every theorem of the catalogue: its answers against finite differences at random admissible points.

One quantity of a theorem, chosen by its name; all of them, which takes minutes, in a search by hand:
pytest --hypothesis-profile=explore tests/analysis/sensitivity/test_catalogue.py
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from zlib import crc32

from hypothesis import settings

from boundkit.algebra import Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.sensitivity import Effect, Sensitivity, sensitivity
from boundkit.analysis.sensitivity.result import QuantityEffects
from boundkit.theorems import catalogue
from tests.analysis.sensitivity.differences import (
    bound,
    larger,
    least,
    points,
    slope,
    tuned_slope,
    where,
)
from tests.cases import each, thinned
from tests.representatives import REPRESENTATIVES

CATALOGUE = catalogue()
SIGN = {"better": -1, "worse": 1}
CLEAR = 1e-6


def picked(theorem: Theorem) -> list[str]:
    names = [q.name for q in theorem.quantities if any(q in t.expr.free_symbols for t in theorem.terms)]
    return [names[crc32(theorem.name.encode()) % len(names)]]


@each("name", thinned(REPRESENTATIVES, 6))
def test_the_answers_of_every_theorem(name: str) -> None:
    theorem = CATALOGUE[name]
    check(theorem, None if settings.get_current_profile_name() == "explore" else picked(theorem))


def check(theorem: Theorem, names: Iterable[str] | None) -> None:
    answer = sensitivity(theorem, names)
    assert answer.to_dict()["theorem"] == theorem.name
    for row in answer.rows:
        for reading, effect in row.effects.items():
            if not effect.exact:
                assert "numerically" in effect.because
                assert "over these ranges" in effect.because
                continue
            assert "numerically" not in effect.because
            checked = sum(_holds(theorem, row, reading, effect, at) for at in points(theorem.name))
            if not checked:  # the bound hardly changes at the first points
                further = points(theorem.name, range(4, 16))
                checked = any(_holds(theorem, row, reading, effect, at) for at in further)
            assert checked or _nothing_to_check(theorem, answer, row), f"{row.title}, {reading}"


def _nothing_to_check(theorem: Theorem, answer: Sensitivity, row: QuantityEffects) -> bool:
    """No point is near at which the quantity could be larger, or none satisfies the conditions at all."""
    return all(larger(theorem, at, row.name, row.fixed) is None for at in points(theorem.name))


def _holds(
    theorem: Theorem, row: QuantityEffects, reading: str, effect: Effect, at: dict[str, float]
) -> bool:
    """Compare the answer with finite differences at a point; False where they decide nothing."""
    tuned = reading == "best eta"
    if effect.word == "depends":
        return _in_its_region(theorem, row, effect, at, tuned)
    moved = larger(theorem, at, row.name, row.fixed)
    if moved is None:
        return False
    value = least if tuned else bound
    before, after = value(theorem, at), value(theorem, moved)
    if isnan(before) or isnan(after):
        return False
    slack = 1e-9 * max(abs(before), abs(after))  # where the best eta is searched for
    if effect.word == "no effect":
        assert abs(after - before) <= slack
    else:
        assert SIGN[effect.word] * (after - before) >= -slack, (row.title, reading, at)
    return True


def _in_its_region(
    theorem: Theorem, row: QuantityEffects, effect: Effect, at: dict[str, float], tuned: bool
) -> bool:
    result = (
        tuned_slope(theorem, at, ALPHABET[row.name], row.fixed)
        if tuned
        else slope(theorem, at, row.name, row.fixed)
    )
    if isnan(result) or abs(result) < (1e-3 if tuned else CLEAR):
        return False
    regions = where(effect, at)
    assert regions, (row.title, at)
    words = {r.effect for r in regions if r.effect != "no effect"}
    assert words == {"worse" if result > 0 else "better"}, (row.title, at, result)
    return True
