"""Instances of a plain algorithm are those of a theorem that becomes one of it, and refute its mistakes."""

import numpy as np

from boundkit.attack.measurement import Measurement
from boundkit.attack.mutation.evaluation import measure_instances
from boundkit.attack.mutation.special_cases import as_special_case, special_cases
from boundkit.theorems import theorem


def test_special_cases_are_stated() -> None:
    assert [t.name for t in special_cases(theorem("fedpaq_nonconvex"))] == ["fedavg_nonconvex_partial_sharp"]
    assert not list(special_cases(theorem("fedavgm_convex_homogeneous")))  # becomes no theorem of FedAvg
    assert not list(special_cases(theorem("fedavg_nonconvex_partial")))


def test_a_measurement_has_the_values_of_the_special_case() -> None:
    plain = Measurement({"eta": np.ones(2)}, np.zeros(2), np.zeros(2), 0.0, {"run": object()})
    piece = as_special_case(theorem("fedavgm_convex_partial"), plain, "a run of FedAvg")
    assert {name: list(value) for name, value in piece.values.items()} == {
        "eta": [1.0, 1.0], "beta_s": [0.0, 0.0], "nesterov": [0.0, 0.0],
    }  # fmt: skip
    assert piece.source == {"said": "a run of FedAvg"}


def test_they_are_measured() -> None:
    pieces = measure_instances(theorem("fedavgm_convex_partial"), 0, None)
    borrowed = [p for p in pieces if "of fedavg_convex_partial_sharp" in str(p.source.get("said"))]
    assert len(borrowed) > 20
    assert len(pieces) > len(borrowed)
