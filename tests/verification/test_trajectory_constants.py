"""Theorems held against networks: constants are estimated where the run has been, and the verdict says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.theorems.catalogue import theorem
from boundkit.verification.estimate import estimate
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.verification.estimate.small import clients

HALF = {"kind": "uniform", "C": 0.5}
PERCEPTRON = {"kind": "mlp", "hidden": [3]}


def _network(model: Any = PERCEPTRON, **more: Any) -> bk.Network:
    weights = {"weights": "uniform", "classes": 3, "batch": 2, **more}
    return bk.Network([(X / 4, y) for X, y in clients(classes=3)], model, **weights)


def _held(name: str, network: bk.Network | None = None, **more: Any) -> Verdict:
    settings = {"rounds": 5, "eta": 1e-3, "local_steps": 2, "replicas": 3, "slopes": False, **more}
    return verify(theorem(name), network or _network(), **settings)


def test_a_verdict_on_a_network_says_that_constants_are_estimated() -> None:
    verdict = _held("fedavg_nonconvex_partial", participation=HALF)
    assert verdict.answer == "holds"
    assert "constants estimated" in verdict.reason
    assert verdict.constants["gap"].how.startswith("F(x_0)")
    assert verdict.constants["L"].trust == verdict.constants["sigma"].trust == "estimated"
    assert "x_0" in verdict.constants["L"].how
    low, high = verdict.interval or (0, 0)
    assert low < high
    assert any(u.startswith("constants elsewhere: L and sigma were measured") for u in verdict.untested)
    assert any(u.startswith("fixed point") for u in verdict.untested)


def test_the_constants_are_those_that_are_estimated_of_the_run() -> None:
    network = _network()
    settings: dict[str, Any] = {"rounds": 5, "eta": 1e-3, "local_steps": 2, "replicas": 3}
    verdict = _held("fedavg_nonconvex")
    seen = bk.simulate("fedavg", network, **settings)
    found = estimate(network, seen, names=["L", "sigma"])
    assert verdict.constants["L"].value == pytest.approx(found["L"].value, rel=1e-2)
    assert verdict.constants["sigma"].value == pytest.approx(found["sigma"].value)
    worst = seen.mean("dissimilarity")[:-1].max()
    assert verdict.constants["sigma_g"].value == pytest.approx(worst**0.5)


def test_a_step_outside_the_condition_is_told_with_the_numbers() -> None:
    verdict = _held("fedavg_nonconvex_partial", participation=HALF, eta=5.0)
    assert verdict.answer == "not applicable"
    assert "eta = 5, and the largest is" in verdict.reason
    assert verdict.prediction is not None
    assert "L" in verdict.constants


ANSWERED: dict[str, dict[str, Any]] = {
    "clusterfedvarp_nonconvex": {"participation": HALF, "options": {"clusters": [[0, 1], [2, 3]]}},
    "clipped_gd_relaxed_smooth": {"local_steps": 1, "options": {"gamma": 0.01}},
    "fedau_nonconvex": {
        "participation": {"kind": "bernoulli", "probabilities": 0.7},
        "options": {"weights": [1.0] * 4},
    },
    "fedavg_nonconvex_all": {
        "participation": {"kind": "bernoulli", "probabilities": 0.7},
        "options": {"aggregation": "all"},
    },
    "fedawe_nonconvex": {"participation": {"kind": "bernoulli", "probabilities": 0.7}, "eta": 1e-6},
    "fedexp_nonconvex": {},
    "fednova_nonconvex": {"local_steps": [1, 2, 3, 4]},
    "fednova_nonconvex_surrogate": {"local_steps": [1, 2, 3, 4], "eta": 1e-4},
    "fedvarp_nonconvex": {"participation": HALF},
    "mifa_nonconvex": {"local_steps": 1},
    "scaffold_nonconvex": {"options": {"variant": "II"}},
    "sgd_nonconvex": {"local_steps": 1},
}


@pytest.mark.parametrize("name", ANSWERED)
def test_theorems_of_every_family_have_a_verdict_on_a_network(name: str) -> None:
    exact = {"clipped_gd_relaxed_smooth", "fedexp_nonconvex", "mifa_nonconvex"}
    network = _network().quiet() if name in exact else _network()
    verdict = _held(name, network, **ANSWERED[name])
    assert verdict.answer == "holds", verdict.reason
    assert verdict.trust == "estimated"
    assert 0 < (verdict.ratio or 0) < 1


CONVEX: dict[str, dict[str, Any]] = {
    "fedavg_convex": {},
    "fedavg_convex_partial": {"participation": HALF},
    "fedexp_convex": {},
    "scaffold_strongly_convex_partial": {"participation": HALF, "options": {"variant": "II"}},
    "sgd_strongly_convex": {"local_steps": 1},
    "cyclic_pl": {
        "participation": {"kind": "cyclic", "groups": 2},
        "rounds": 4,
        "local_steps": 1,
        "eta": 1e-2,
    },
    "fedavg_strongly_convex_average_drift": {},
}


@pytest.mark.parametrize("name", CONVEX)
def test_convex_theorems_on_a_softmax_regression(name: str) -> None:
    network = _network("softmax", l2=0.3)
    exact = name in ("fedexp_convex", "fedavg_strongly_convex_average_drift")
    verdict = _held(name, network.quiet() if exact else network, **CONVEX[name])
    assert verdict.answer == "holds", verdict.reason
    assert verdict.trust == "estimated"
    assert 0 < (verdict.ratio or 0) <= 1


def test_the_smoothness_of_a_softmax_regression_has_a_formula() -> None:
    assert _held("fedavg_convex", _network("softmax", l2=0.3)).constants["L"].trust == "exact"


def test_the_optimum_of_a_softmax_regression_has_no_gradient() -> None:
    network = _network("softmax", l2=0.3).settled()
    assert network.optimum is not None
    seen = network.observe(network.optimum[None])
    assert seen["gradient_norm_squared"][0] < 1e-16
    assert seen["loss_gap"][0] == 0.0
    start = network.constants(np.zeros(network.d))
    assert 0 < start["gap"].value < network.losses(np.zeros(network.d)) @ network.p


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        (
            "cyclic_pl",
            {"participation": {"kind": "cyclic", "groups": 2}, "rounds": 4, "local_steps": 1},
            "no loss gap",
        ),
        ("fedavg_nonconvex_tuned", {}, "its rule for eta needs L"),
        ("local_sgd_nonconvex", {}, "homogeneous clients"),
    ],
)
def test_what_is_not_known_of_a_network_is_said(name: str, more: dict[str, Any], said: str) -> None:
    verdict = _held(name, **more)
    assert verdict.answer == "not applicable"
    assert said in verdict.reason


def test_shuffled_batches_are_not_drawn_anew() -> None:
    verdict = _held("fedavg_nonconvex", _network(order="shuffled"))
    assert 'the order "shuffled"' in verdict.reason


def test_convex_theorems_refuse_hidden_layers() -> None:
    with pytest.raises(BoundkitError, match="hidden layers is not convex"):
        _held("fedavg_convex")


def test_an_observed_round_in_three_does_not_shorten_the_run() -> None:
    few = _held("fedavg_nonconvex", every=3)
    assert few.prediction is not None
    whole = _held("fedavg_nonconvex").prediction
    assert whole is not None
    assert float(few.prediction.total) == pytest.approx(float(whole.total))


def test_weights_that_are_uniform_are_written_so() -> None:
    assert _network().to_json()["p"] == "uniform"
    with pytest.raises(BoundkitError, match="p must be numbers"):
        _network(weights="unifrom")
