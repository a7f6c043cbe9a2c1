"""The atlas of small pools, and the record that is kept of the whole catalogue."""

import pytest

from boundkit.algebra import Theorem
from boundkit.attack.atlas import (
    ABSENT,
    ATTAINED,
    COVERED,
    FILE,
    NO_INSTANCE,
    OPEN,
    OPENINGS,
    SHOWN,
    build_atlas,
    equality,
    measurement_of,
)
from boundkit.attack.evidence import collect_evidence
from boundkit.attack.measurement import Measurement
from boundkit.attack.mutation.measurements import Measurements
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.studies.demonstration_records import read_demonstration
from boundkit.theorems import catalogue, theorem
from boundkit.verification.checks.bound_comparison import ROUNDING
from tests.cases import each


def seen_of(name: str, noise: float, x0: float, rounds: int = 4, eta: float = 1.0) -> list[Measurement]:
    """Two homogeneous clients with curvature 1, at a step that is the largest."""
    problem = Quadratic([1.0, 1.0], [[0.0], [0.0]], noise=noise)
    statement = theorem(name)
    run = make_run(statement.algorithm, problem, rounds=rounds, eta=eta, x0=[x0])
    return [measurement_of(collect_evidence(statement, run))]


def test_noise_alone_at_the_largest_step_needs_all_of_its_term() -> None:
    """At mu = L the floor of a quadratic is 1/(2 - eta L) of the bound: all of it at eta = 1/L."""
    statement = theorem("sgd_strongly_convex")
    found = build_atlas([statement], {statement.name: seen_of(statement.name, 1.0, 0.0)})
    (whole,) = found.theorems
    gap, noise = found.terms
    assert whole.ratio == pytest.approx(1, abs=1e-6)
    assert whole.attained
    assert not whole.sampled
    assert "At mu = L" in whole.equality
    assert noise.share == pytest.approx(1, abs=1e-6)
    assert noise.smaller == pytest.approx(1, abs=1e-6)
    assert gap.share is None
    assert gap.silent == ABSENT
    assert (
        noise.instance
        == "2 equal quadratic clients, d = 1, tau = 1, T = 1, eta at its limit, from the optimum"
    )


def test_a_share_says_how_far_a_constant_can_fall() -> None:
    """A constant a little more than ``smaller`` times smaller is refuted, one a little less is not."""
    statement = theorem("sgd_nonconvex")
    seen = seen_of(statement.name, 0.5, 3.0, rounds=20, eta=0.4)
    found = build_atlas([statement], {statement.name: seen})
    shown = [need for need in found.terms if need.share is not None]
    assert shown
    for need in shown:
        assert need.smaller is not None
        for factor, refuted in ((1.01, True), (0.99, False)):
            wrong = divided(statement, need.term, need.smaller * factor)
            assert (Measurements(wrong, tuple(seen)).worst() > 1) is refuted


def divided(statement: Theorem, label: str, by: float) -> Theorem:
    from dataclasses import replace

    terms = tuple(replace(t, expr=t.expr / by) if t.label == label else t for t in statement.terms)
    return replace(statement, terms=terms)


def test_where_nothing_is_shown_it_says_why() -> None:
    """A term that is 0 is absent; of open constants, and where nothing is kept, nothing is said."""
    statement, opened, alone = (
        theorem(n) for n in ("fedavg_nonconvex", "local_sgd_nonconvex_rounds", "mifa_nonconvex")
    )
    seen = seen_of(statement.name, 1.0, 1.0, rounds=30, eta=0.01)
    found = build_atlas([statement, opened, alone], {statement.name: seen, opened.name: seen})
    assert [whole.silent for whole in found.theorems] == ["", OPEN, NO_INSTANCE]
    by_label = {need.term: need for need in found.terms if need.theorem == statement.name}
    assert by_label["client drift"].silent == ABSENT
    assert by_label["stochastic noise"].silent == COVERED
    assert {need.silent for need in found.terms if need.theorem == opened.name} == {OPEN}


@each("name", OPENINGS)
def test_what_is_known_on_paper_is_a_sentence_of_the_theorem(name: str) -> None:
    said = equality(theorem(name))
    assert said.startswith(OPENINGS[name])
    assert said.endswith(".")


def test_the_record_has_every_theorem_and_every_term() -> None:
    columns = read_demonstration(FILE).columns
    every = catalogue()
    assert list(columns["theorems theorem"]) == list(every)
    terms = [(t.name, label) for t in every.values() for label in t.bound.terms]
    assert list(zip(columns["terms theorem"], columns["terms term"], strict=True)) == terms
    opened = {name for name, statement in every.items() if statement.kind == "order"}
    silent = zip(columns["theorems theorem"], columns["theorems silent"], strict=True)
    assert {name for name, why in silent if why} == opened


def test_no_bound_of_the_record_is_broken_and_no_share_is_above_its_ratio() -> None:
    columns = read_demonstration(FILE).columns
    ratio = dict(zip(columns["theorems theorem"], columns["theorems ratio"], strict=True))
    assert max(value for value in ratio.values() if value is not None) <= 1 + ROUNDING
    for name, share in zip(columns["terms theorem"], columns["terms share"], strict=True):
        assert share is None or share <= ratio[name] + 1e-9
    for value, smaller in zip(ratio.values(), columns["theorems smaller"], strict=True):
        assert smaller == (1 / value if value is not None and value > SHOWN else None)


@each("name", OPENINGS)
def test_where_equality_is_known_on_paper_an_instance_comes_within_one_percent(name: str) -> None:
    columns = read_demonstration(FILE).columns
    ratio = dict(zip(columns["theorems theorem"], columns["theorems ratio"], strict=True))
    assert ratio[name] is not None
    assert ratio[name] >= ATTAINED
