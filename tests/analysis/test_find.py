"""Who holds, who would, and who does not, on small catalogues and on the whole one."""

from __future__ import annotations

import json

import pytest

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.claim import Assumption
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BIASED_SELECTION,
    BOUNDED_BELOW,
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    OPTIMUM_DISSIMILARITY,
    PARTIAL_PARTICIPATION,
    SMOOTH,
    STRONGLY_CONVEX,
    WEIGHTED_OBJECTIVE,
)
from boundkit.analysis.find import TheoremApplicability, find
from boundkit.theorems import catalogue
from tests.analysis.conftest import START, theorem_of
from tests.cases import each

ALL = list(catalogue().values())


def supposing(*assumptions: Assumption) -> Theorem:
    from dataclasses import replace

    return replace(theorem_of("planted", START), assumptions=assumptions)


def ask(*assumptions: Assumption, have: str = "", without: str = "") -> TheoremApplicability:
    (answer,) = find([supposing(*assumptions)], have=have, without=without).answers
    return answer


def names(assumptions: tuple[Assumption, ...]) -> list[str]:
    return [a.name for a in assumptions]


def test_what_one_has_holds_and_what_follows_from_it() -> None:
    answer = ask(SMOOTH, OPTIMUM_DISSIMILARITY, have="smooth, alike-clients")
    assert answer.status == "holds"
    assert [str(d) for d in answer.derived] == ["optimum-dissimilarity at sigma_star = 0, from alike-clients"]


def test_mild_ones_are_granted_unless_denied() -> None:
    assert names(ask(BOUNDED_BELOW, BOUNDED_NOISE).granted) == ["bounded-below", "bounded-noise"]
    answer = ask(BOUNDED_BELOW, BOUNDED_NOISE, without="bounded-noise")
    assert answer.barred == ("it needs bounded-noise",)
    assert names(answer.granted) == ["bounded-below"]
    assert ask(BOUNDED_BELOW, have="strongly-convex").granted == ()


def test_what_is_missing_is_named() -> None:
    one = ask(SMOOTH, STRONGLY_CONVEX, have="smooth")
    assert (one.status, names(one.missing)) == ("one more", ["strongly-convex"])
    two = ask(SMOOTH, STRONGLY_CONVEX, BOUNDED_DISSIMILARITY, have="smooth")
    assert (two.status, names(two.missing)) == ("more", ["strongly-convex", "bounded-dissimilarity"])


def test_who_is_without_one_is_without_the_stronger_ones() -> None:
    answer = ask(STRONGLY_CONVEX, without="convex")
    assert answer.barred == ("it needs strongly-convex, which implies convex",)
    assert (
        ask(OPTIMUM_DISSIMILARITY, without="bounded-dissimilarity").status == "one more"
    )  # weaker: still open


def test_who_takes_part_is_said_once() -> None:
    answer = ask(FULL_PARTICIPATION, have="partial-participation")
    assert answer.barred == ("it needs full-participation, which partial-participation is not",)
    back = ask(PARTIAL_PARTICIPATION, have="full-participation")
    assert back.status == "holds"
    assert [str(d) for d in back.derived] == ["partial-participation at C = 1, from full-participation"]
    assert ask(EQUAL_WEIGHTS, have="weighted-objective").status == "not"
    assert ask(WEIGHTED_OBJECTIVE, have="equal-weights").status == "holds"


def test_choices_help_to_derive() -> None:
    answer = ask(BETA_KAPPA_DISSIMILARITY, EQUAL_WEIGHTS, COMMON_STEPS, have="bounded-dissimilarity")
    assert answer.status == "holds"
    assert names(answer.choose) == ["equal-weights", "common-local-steps"]
    assert ask(BETA_KAPPA_DISSIMILARITY, have="bounded-dissimilarity").status == "one more"
    selected = ask(BIASED_SELECTION, EQUAL_WEIGHTS, have="partial-participation")
    assert selected.status == "holds"
    assert "rho_bar = 1" in str(selected.derived[0])


def test_where_none_holds_those_that_lack_one_assumption_are_listed() -> None:
    found = find(ALL, have="smooth,partial-participation", algorithm="fedavg")
    assert not found.holds
    assert found.one_more
    text = found.report().to_text()
    assert all(f"{a.theorem.name}" in text for a in found.of("one more"))
    assert f"({len(found.of('one more'))})" in text
    assert "bounded-dissimilarity" in text
    assert "--why lists them." in text


@each("statement", ALL, ids=lambda t: t.name)
def test_who_has_all_that_a_theorem_supposes_may_use_it(statement: Theorem) -> None:
    (answer,) = find([statement], have=[a.name for a in statement.assumptions]).answers
    assert answer.status == "holds"
    assert answer.choose == answer.granted == answer.missing == ()


@each("statement", ALL, ids=lambda t: t.name)
def test_each_supposition_is_needed(statement: Theorem) -> None:
    for lost in statement.assumptions:
        (answer,) = find([statement], without=[lost.name]).answers
        assert answer.status == "not"
        assert any(lost.name in reason for reason in answer.barred)


def test_answers_are_sorted_best_first_and_none_is_lost() -> None:
    found = find(ALL, have=["smooth", "partial-participation"], without=["bounded-dissimilarity"])
    order = ["holds", "one more", "more", "not"]
    places = [order.index(a.status) for a in found.answers]
    assert places == sorted(places)
    assert {a.theorem.name for a in found.answers} == set(catalogue())
    barred = {a.theorem.name: a.barred for a in found.of("not")}
    assert barred["fedavg_nonconvex_partial"] == ("it needs bounded-dissimilarity",)
    assert "sgd_nonconvex" in barred


@each(
    ("asked", "test"),
    [
        ({"algorithm": "minibatch_sgd"}, lambda t: t.algorithm == "minibatch_sgd"),
        ({"claim": "mean-loss-gap"}, lambda t: t.claim.name == "mean loss gap"),
        ({"claim": "mean squared gradient"}, lambda t: t.claim.name == "mean squared gradient"),
        ({"constants": "appendix,stated"}, lambda t: t.constants in ("appendix", "stated")),
        ({"constants": ["derived"]}, lambda t: t.constants == "derived"),
        ({"kind": "upper"}, lambda t: t.kind == "upper"),
        ({"quantity": "eta_s"}, lambda t: "eta_s" in {q.name for q in t.quantities}),
    ],
)
def test_filters_keep_what_they_say(asked: dict[str, str], test: object) -> None:
    kept = {a.theorem.name for a in find(ALL, **asked).answers}  # type: ignore[arg-type]
    assert kept == {t.name for t in ALL if test(t)}  # type: ignore[operator]


@each(
    ("asked", "sentence"),
    [
        ({"have": "smoot"}, "unknown assumption 'smoot'; did you mean 'smooth'"),
        ({"without": ["convx"]}, "unknown assumption 'convx'; did you mean 'convex'"),
        ({"algorithm": "fedavgg"}, "unknown algorithm 'fedavgg'; did you mean 'fedavg'"),
        ({"claim": "mean los gap"}, "unknown claim 'mean los gap'; did you mean 'mean loss gap'"),
        ({"kind": "uper"}, "unknown kind 'uper'; did you mean 'upper'"),
        ({"constants": "apendix"}, "unknown kind of constants 'apendix'; did you mean 'appendix'"),
        ({"quantity": "sigmag"}, "unknown quantity 'sigmag'; did you mean 'sigma_g'"),
        (
            {"have": "strongly-convex", "without": "convex"},
            "strongly-convex was given, which implies convex, so one cannot be without it",
        ),
    ],
)
def test_a_mistake_is_a_sentence(asked: dict[str, str], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence.replace("(", r"\(")):
        find(ALL, **asked)  # type: ignore[arg-type]


def test_it_is_clean_for_json_and_readable() -> None:
    found = find(ALL, have="smooth,one-local-step", without="convex")
    back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert back["have"] == ["smooth", "one-local-step"]
    assert {t["status"] for t in back["theorems"]} <= {"holds", "one more", "more", "not"}
    whole = found.report(verbose=True).to_text()
    assert max(map(len, (repr(found) + whole).splitlines())) <= 100
    assert "Hold with" in find(ALL).report(verbose=True).to_text()
    assert "hold with one assumption: " in repr(find(ALL))
    assert repr(find([])) == "No theorem is of this kind."


def test_a_contradiction_is_said() -> None:
    found = find(ALL, have=["strongly-convex", "bounded-gradients"])
    assert len(found.conflicts) == 1
    assert "cannot hold together on all of space" in repr(found)
