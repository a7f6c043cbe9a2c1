"""The numbers behind pictures: those that the analysis gives, a line each."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.compare import compare
from boundkit.analysis.lattice import LATTICE
from boundkit.analysis.predict import predict
from boundkit.analysis.reductions import reduction_graph
from boundkit.analysis.sensitivity import sensitivity
from boundkit.figures.csv_data import (
    of_assumptions,
    of_comparison,
    of_prediction,
    of_record,
    of_reductions,
    of_sensitivity,
)
from boundkit.theorems import theorem
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Verdict

PARTIAL = theorem("fedavg_nonconvex_partial")


def test_a_prediction_is_a_line_a_point_the_last_axis_fastest() -> None:
    found = predict(PARTIAL, tau=[1, 8, 64], sigma_g=[0.1, 1.0], eta=0.001)
    columns = of_prediction(found)
    assert columns["tau"] == [1, 1, 8, 8, 64, 64]
    assert columns["sigma_g"] == [0.1, 1.0] * 3
    at = predict(PARTIAL, tau=64, sigma_g=0.1, eta=0.001)
    assert {label: columns[label][4] for label in at.terms} == at.terms
    assert [columns[head][4] for head in ("total", "dominant", "holds")] == [at.total, at.dominant, at.holds]
    assert {len(column) for column in columns.values()} == {6}


def test_a_comparison_has_its_causes_at_a_point_and_its_theorems_along_an_axis() -> None:
    pair = [theorem("fedvarp_nonconvex"), PARTIAL]
    point = of_comparison(compare(*pair))
    varp, avg = pair
    assert point["theorem"] == [varp.name, avg.name]
    assert point["start-up"][1] is None, "FedAvg has no term of that cause"
    causes = [head for head in point if head not in ("theorem", "total", "holds")]
    for k in range(2):
        assert sum(point[cause][k] or 0.0 for cause in causes) == pytest.approx(point["total"][k], rel=1e-14)
    along = of_comparison(found := compare(*pair, T=[10, 1000, 100000], tuned=True))
    assert along["T"] == [10, 1000, 100000]
    assert along[varp.name] == found.contenders[0].total.tolist()
    assert along["lowest"] == found.lowest.to_numpy().tolist()
    assert np.all(np.array(along[f"{varp.name} eta"]) > 0)


def test_bounds_up_to_constants_have_no_lowest() -> None:
    found = compare(theorem("fedavg_nonconvex_partial_rate"), PARTIAL, T=[10, 100])
    assert "lowest" not in of_comparison(found)


def test_a_table_of_arrows_is_a_line_a_cell() -> None:
    found = sensitivity(theorem("sgd_nonconvex"))
    columns = of_sensitivity(found)
    cells = list(
        zip(columns["quantity"], columns["held"], columns["reading"], columns["effect"], strict=True)
    )
    assert len(cells) == sum(len(row.effects) for row in found.rows)
    for name, held, reading, word in cells:
        assert found.effect(name, reading, held or "").word == word


def test_reductions_are_a_line_an_edge() -> None:
    few = ("sgd_nonconvex", "local_sgd_nonconvex", "adacomm_nonconvex")
    graph = reduction_graph({name: theorem(name) for name in few})
    columns = of_reductions(graph)
    assert list(zip(columns["from"], columns["to"], strict=True)) == [(e.origin, e.to) for e in graph.edges]
    assert all(columns["confirmed"])
    assert "tau_mean = tau, tau_felt = tau, tau_max = tau" in columns["when"]
    assert False in columns["holds"]


def test_assumptions_are_a_line_a_relation_of_the_subjects_that_were_asked_for() -> None:
    every, one = of_assumptions(), of_assumptions(["noise"])
    assert set(every["subject"]) == {name for name, s in LATTICE.subjects.items() if s.implications}
    assert set(one["subject"]) == {"noise"}
    kinds = every["relation"]
    for kind, count in (
        ("implies", len(LATTICE.implications)),
        ("does not imply", len(LATTICE.refutations)),
        ("cannot hold together with", len(LATTICE.conflicts)),
    ):
        assert kinds.count(kind) == count > 0


def test_a_record_is_a_line_a_horizon_and_its_bound_the_sum_of_its_terms(record: Record) -> None:
    columns = of_record(record)
    curves = record.curves
    assert curves is not None
    assert columns["horizon"] == curves.horizon.tolist()
    assert columns["measured"] == curves.measured.tolist()
    terms = np.sum([columns[label] for label in curves.terms], axis=0)
    np.testing.assert_allclose(columns["bound"], terms, rtol=1e-14)


def test_a_record_without_a_run_has_no_numbers() -> None:
    nothing = as_record(Verdict(PARTIAL, "not applicable", "nothing ran"))
    with pytest.raises(BoundkitError, match=r"there is nothing to draw"):
        of_record(nothing)
