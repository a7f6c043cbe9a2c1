"""Verdicts on networks: constants are estimated along the trajectory."""

from __future__ import annotations

from typing import Any

import pytest

import boundkit as bk
from boundkit.theorems.catalogue import theorem
from boundkit.verification.estimate import estimate
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.verification.estimate.small import clients

HALF = {"kind": "uniform", "C": 0.5}
MOSTLY = {"kind": "bernoulli", "probabilities": 0.7}
TURNS = {"kind": "cyclic", "groups": 2}
PERCEPTRON = {"kind": "mlp", "hidden": [3]}


def _network(model: Any = PERCEPTRON, **more: Any) -> bk.Network:
    weights = {"weights": "uniform", "classes": 3, "batch": 2, **more}
    return bk.Network([(X / 4, y) for X, y in clients(classes=3)], model, **weights)


def _verify(name: str, network: bk.Network | None = None, **more: Any) -> Verdict:
    settings = {"rounds": 5, "eta": 1e-3, "local_steps": 2, "replicas": 3, "slopes": False, **more}
    return verify(theorem(name), network or _network(), **settings)


def test_a_verdict_on_a_network_says_that_constants_are_estimated() -> None:
    verdict = _verify("fedavg_nonconvex_partial", participation=HALF)
    assert verdict.answer == "holds"
    assert "constants estimated" in verdict.reason
    assert verdict.constants["gap"].how.startswith("F(x_0)")
    assert verdict.constants["L"].trust == verdict.constants["sigma"].trust == "estimated"
    assert "x_0" in verdict.constants["L"].how
    low, high = verdict.interval or (0, 0)
    assert low < high
    assert any(u.startswith("constants elsewhere: L and sigma were measured") for u in verdict.untested)
    assert any(u.startswith("fixed point") for u in verdict.untested)


def test_the_constants_are_the_estimates_on_the_run() -> None:
    network = _network()
    settings: dict[str, Any] = {"rounds": 5, "eta": 1e-3, "local_steps": 2, "replicas": 3}
    verdict = _verify("fedavg_nonconvex")
    recorded = bk.simulate("fedavg", network, **settings)
    estimates = estimate(network, recorded, names=["L", "sigma"])
    assert verdict.constants["L"].value == pytest.approx(estimates["L"].value, rel=1e-2)
    assert verdict.constants["sigma"].value == pytest.approx(estimates["sigma"].value)
    worst = recorded.mean("dissimilarity")[:-1].max()
    assert verdict.constants["sigma_g"].value == pytest.approx(worst**0.5)


def test_a_step_outside_the_condition_has_the_numbers() -> None:
    verdict = _verify("fedavg_nonconvex_partial", participation=HALF, eta=5.0)
    assert verdict.answer == "not applicable"
    assert "eta = 5, and the largest is" in verdict.reason
    assert verdict.prediction is not None
    assert "L" in verdict.constants


NONCONVEX: dict[str, dict[str, Any]] = {
    "clusterfedvarp_nonconvex": {"participation": HALF, "options": {"clusters": [[0, 1], [2, 3]]}},
    "clipped_gd_relaxed_smooth": {"local_steps": 1, "options": {"gamma": 0.01}},
    "fedau_nonconvex": {"participation": MOSTLY, "options": {"weights": [1.0] * 4}},
    "fedavg_nonconvex_all": {"participation": MOSTLY, "options": {"aggregation": "all"}},
    "fedawe_nonconvex": {"participation": MOSTLY, "eta": 1e-6},
    "fedexp_nonconvex": {},
    "fednova_nonconvex": {"local_steps": [1, 2, 3, 4]},
    "fednova_nonconvex_surrogate": {"local_steps": [1, 2, 3, 4], "eta": 1e-4},
    "fedvarp_nonconvex": {"participation": HALF},
    "mifa_nonconvex": {"local_steps": 1},
    "scaffold_nonconvex": {"options": {"variant": "II"}},
    "sgd_nonconvex": {"local_steps": 1},
}
CONVEX: dict[str, dict[str, Any]] = {
    "fedavg_convex": {},
    "fedavg_convex_partial": {"participation": HALF},
    "fedexp_convex": {},
    "scaffold_strongly_convex_partial": {"participation": HALF, "options": {"variant": "II"}},
    "sgd_strongly_convex": {"local_steps": 1},
    "cyclic_pl": {"participation": TURNS, "rounds": 4, "local_steps": 1, "eta": 1e-2, "replicas": 12},
    "fedavg_strongly_convex_average_drift": {},
}
DETERMINISTIC = {
    "clipped_gd_relaxed_smooth", "fedexp_nonconvex", "mifa_nonconvex", "fedexp_convex",
    "fedavg_strongly_convex_average_drift",
}  # fmt: skip


def test_theorems_of_every_family_have_a_verdict_on_a_network() -> None:
    for settings, network in ((NONCONVEX, _network()), (CONVEX, _network("softmax", l2=0.3))):
        for name, more in settings.items():
            verdict = _verify(name, network.without_noise() if name in DETERMINISTIC else network, **more)
            assert verdict.answer == "holds", (name, verdict.reason)
            assert verdict.trust == "estimated", name
            assert verdict.ratio is not None
            assert 0 < verdict.ratio <= 1, name
            assert name in CONVEX or verdict.ratio < 1, name


def test_an_observed_round_in_three_does_not_shorten_the_run() -> None:
    few = _verify("fedavg_nonconvex", every=3)
    assert few.prediction is not None
    whole = _verify("fedavg_nonconvex").prediction
    assert whole is not None
    assert float(few.prediction.total) == pytest.approx(float(whole.total))
