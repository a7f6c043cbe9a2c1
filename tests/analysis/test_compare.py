"""Whose bound is lower where: against ``predict`` and ``tune``, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError, Quantity, Term, Theorem
from boundkit.algebra.dimension import ONE
from boundkit.algebra.domain import POSITIVE
from boundkit.algebra.notation import L, T, gap, sigma
from boundkit.algebra.vocabulary import CONSENSUS
from boundkit.analysis.compare import Comparison, compare
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.predict import predict
from boundkit.analysis.tune import tune
from boundkit.theorems import catalogue, theorem
from tests.analysis.conftest import NOISE, START, theorem_of
from tests.cases import each
from tests.representatives import representatives

FULL, PARTIAL = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial")
ALONE = theorem("sgd_nonconvex")


def test_at_a_point_each_total_is_what_predict_says_of_its_own_share() -> None:
    found = compare(FULL, PARTIAL, ALONE, tau=5, C=0.5, eta=0.01, m=20)
    totals = {
        FULL.name: predict(FULL, tau=5, eta=0.01, m=20).total,
        PARTIAL.name: predict(PARTIAL, tau=5, C=0.5, eta=0.01, m=20).total,
        ALONE.name: predict(ALONE, eta=0.01, m=20).total,
    }
    assert found.total == totals
    low, middle, _ = sorted(totals.values())
    assert found.lowest == min(totals, key=lambda name: totals[name])
    assert found.ratio == pytest.approx(middle / low, rel=1e-15)
    assert found.alone == {
        "C": (PARTIAL.name,), "eta_s": (PARTIAL.name,),
        "tau": (FULL.name, PARTIAL.name), "sigma_g": (FULL.name, PARTIAL.name),
    }  # fmt: skip
    assert set(found.assumed) == {"T", "eta_s", "L", "sigma", "sigma_g", "gap"}


def test_terms_stand_side_by_side_by_cause() -> None:
    twice = theorem_of(
        "twice", START, NOISE, Term("stochastic noise", sigma**2, "derived", "made up", label="more noise")
    )
    found = compare(FULL, twice, sigma=3, tau=2)
    said = found.to_dict()
    ours = {one["theorem"]: one for one in said["theorems"]}
    noise = 0.001 * 9 + 9
    assert ours["twice"]["causes"]["stochastic noise"] == pytest.approx(noise)
    assert set(ours["twice"]["terms"]) == {"initial gap", "stochastic noise", "more noise"}
    line = next(line for line in found.to_text().splitlines() if line.startswith("stochastic noise"))
    assert line.split()[2:] == ["0.00036", "9.009"]
    assert next(line for line in found.to_text().splitlines() if line.startswith("client drift")).split()[
        2:
    ] == [f"{predict(FULL, sigma=3, tau=2).terms['client drift']:.6g}"]


def test_along_a_count_the_change_is_the_first_whole_number() -> None:
    found = compare(FULL, ALONE, tau=[100, 1, 2, 5, 10, 20, 5], eta=0.01)
    assert found.axes["tau"].tolist() == [1, 2, 5, 10, 20, 100]
    assert [(c.before, c.after) for c in found.changes] == [(ALONE.name, FULL.name), (FULL.name, ALONE.name)]
    for change in found.changes:
        before, at = (
            {
                t.name: predict(t, eta=0.01, **({"tau": int(steps)} if t is FULL else {})).total
                for t in (FULL, ALONE)
            }
            for steps in (change.at - 1, change.at)
        )
        assert before[change.before] < before[change.after]
        assert at[change.after] < at[change.before]


def test_along_a_real_axis_the_change_is_where_both_are_equal_and_has_a_formula() -> None:
    found = compare(FULL, ALONE, gap=[0.01, 0.1, 1, 10, 100], eta=0.01, tau=10)
    (change,) = found.changes
    assert change.formula is not None
    both = [
        predict(t, gap=change.at, eta=0.01, **({"tau": 10} if t is FULL else {})).total for t in (FULL, ALONE)
    ]
    assert both[0] == pytest.approx(both[1], rel=1e-9)
    at = {**found.values, "gap": 1.0}
    assert float(evaluate(change.formula, at)) == pytest.approx(change.at, rel=1e-9)
    assert f"from gap = {change.at:.6g}"[:16] in found.to_text()


def test_over_two_axes_the_map_is_that_of_the_totals_and_the_border_is_where_they_meet() -> None:
    found = compare(FULL, ALONE, tau=[1, 3, 10, 30], sigma_g=np.geomspace(0.01, 10, 12), eta=0.004)
    for i, steps in enumerate([1, 3, 10, 30]):
        for k, spread in enumerate(found.axes["sigma_g"]):
            at = {"eta": 0.004, "tau": steps, "sigma_g": spread}
            totals = {FULL.name: predict(FULL, **at).total, ALONE.name: predict(ALONE, eta=0.004).total}
            assert found.lowest[i, k].item() == min(totals, key=lambda name: totals[name])
    assert sum(found.shares.values()) == pytest.approx(1)
    borders = dict(found.borders)
    (curve,) = [c for c in borders[FULL.name, ALONE.name] if c.inside]
    assert curve.expr is not None
    points = curve.points[np.isfinite(curve.points).all(axis=-1)]
    values: dict[str, Any] = {**found.values, "tau": points[:, 0], "sigma_g": points[:, 1]}
    one, other = (evaluate(t.bound.total, values) for t in (FULL, ALONE))
    assert one == pytest.approx(np.broadcast_to(other, one.shape), rel=1e-9)


def test_tuned_each_has_its_own_best_step() -> None:
    found = compare(FULL, PARTIAL, tuned=True, T=[100, 1000], C=[0.1, 1.0], tau=4)
    for i, rounds in enumerate([100, 1000]):
        for k, share in enumerate([0.1, 1.0]):
            best = {
                FULL.name: tune(FULL, T=rounds, tau=4),
                PARTIAL.name: tune(PARTIAL, T=rounds, tau=4, C=share),
            }
            for c in found.contenders:
                assert c.steps is not None
                assert c.steps[i, k] == best[c.name].values["eta"]
                assert c.total[i, k] == pytest.approx(best[c.name].bound, rel=1e-14)
                assert c.holds[i, k]
    said = compare(FULL, ALONE, tuned=True)
    assert "best eta" in said.to_text()
    assert said.to_dict()["theorems"][0]["best_eta"] == pytest.approx(tune(FULL).values["eta"])


def test_outside_its_condition_a_bound_is_marked_and_counted() -> None:
    found = compare(FULL, ALONE, eta=[0.001, 0.5], tau=10)
    assert [c.holds.tolist() for c in found.contenders] == [[True, False], [True, True]]
    text = found.to_text()
    assert "outside the condition of fedavg_nonconvex at 1 of 2 points: its bound is not proved (*)." in text
    assert text.count("*  ") == 1
    assert "sgd_nonconvex at" not in text
    assert "OUTSIDE" in compare(FULL, ALONE, eta=0.5).to_text()


@each(
    ("theorems", "settings", "sentence"),
    [
        ((FULL,), {}, "compare needs two theorems or more"),
        ((FULL, FULL), {}, "all different"),
        ((FULL, "sgd_nonconvex"), {}, "compare takes theorems, but 'sgd_nonconvex' was given"),
        ((FULL, theorem("fedavg_convex_partial")), {}, "unlike things have no order"),
        ((FULL, replace(ALONE, name="spread", claim=CONSENSUS)), {}, "neither is below the other"),
        (
            (FULL, PARTIAL),
            {"taus": 3},
            "parameter of any of these theorems 'taus'; did you mean 'tau'",
        ),
        ((FULL, PARTIAL), {"tau": 0}, "tau = 0 was given"),
        ((FULL, PARTIAL), {"tau": []}, "an axis needs at least one value"),
        ((FULL, PARTIAL), {"tau": [1, 2], "T": [1, 2], "C": [0.1, 1]}, "at most two lists, but tau, T, C"),
        ((FULL, PARTIAL), {"tuned": True, "eta": 0.1}, "eta is what is tuned here"),
        ((FULL, ALONE), {"tuned": True, "gap": 0}, "has its infimum as eta goes to 0"),
        ((FULL, ALONE), {"tuned": True, "gap": list(range(1, 5000))}, "eta was to be tuned at 4999 points"),
        ((FULL, ALONE), {"eta": "1/LL"}, "unknown keyword 'LL'"),
        ((FULL, ALONE), {"C": 0.1}, "unknown parameter of any of these theorems 'C'"),
    ],
)
def test_mistakes_are_one_sentence(theorems: Any, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoundkitError) as said:
        compare(*theorems, **settings)
    assert sentence in str(said.value)
    assert str(said.value).endswith((".", "?"))


def test_one_keyword_with_two_meanings_is_refused() -> None:
    other = Quantity("sigma", "s", "another thing", POSITIVE, ONE, 1)
    mine = theorem_of("mine", Term("initial gap", other * L * gap / T, "derived", "made up"))
    with pytest.raises(BoundkitError, match="sigma of sgd_nonconvex and sigma of mine are different"):
        compare(ALONE, mine)


def peers(name: str) -> list[Theorem]:
    """Some theorems of the catalogue that might stand beside one."""
    one = theorem(name)
    alike = [t for n, t in catalogue().items() if n != name and t.claim == one.claim][:1]
    unlike = [t for n, t in catalogue().items() if n != name and t.claim != one.claim][:1]
    return [*alike, *unlike]


@each("name", representatives())
def test_every_theorem_stands_beside_another_or_is_refused_in_a_sentence(name: str) -> None:
    one = theorem(name)
    for other in peers(name):
        found = answered(one, other)
        if found is not None:
            totals = found.totals
            assert totals.shape == (2,)
            assert found.lowest in (*found.names, "equal")
            json.dumps(found.to_dict(), allow_nan=False)
            assert found.to_text()


def answered(one: Theorem, other: Theorem) -> Comparison | None:
    try:
        return compare(one, other)
    except BoundkitError as error:
        said = str(error)
    assert said.endswith((".", "?"))
    return None


def test_equal_totals_are_no_victory() -> None:
    twin = replace(ALONE, name="twin")
    found = compare(ALONE, twin, T=[10, 100])
    assert found.lowest.values.tolist() == ["equal", "equal"]
    assert found.ratio.values.tolist() == [1, 1]
    assert found.changes == ()
    assert "the lowest two are equal everywhere" in found.to_text()


@each(
    "axes", [{}, {"tau": [1, 10, 100]}, {"tau": [1, 10, 100], "sigma": [0.1, 1]}], ids=["point", "one", "two"]
)
def test_bounds_up_to_constants_have_numbers_but_no_winner(axes: dict[str, Any]) -> None:
    terms = tuple(replace(t, provenance="order") for t in ALONE.terms)
    found = compare(FULL, replace(ALONE, name="open_one", terms=terms, kind="order"), **axes)
    said = found.to_text()
    assert "lowest" not in said
    assert "everywhere" not in said
    assert said.count("no common scale with the others") == 1
    assert np.isfinite(found.totals).all()
    written = found.to_dict()
    assert (written["ranked"], written["lowest"], written["changes"]) == (False, None, [])
    assert "lowest" in compare(FULL, ALONE, **axes).to_text()
