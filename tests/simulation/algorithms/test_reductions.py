"""Special cases in which an algorithm is FedAvg, or another algorithm."""

from typing import Any

import numpy as np

from boundkit.simulation.engines import trajectory
from boundkit.simulation.problems import Quadratic
from tests.cases import each
from tests.simulation.algorithms.rounds import GAPS, E, H, run

MEAN = {"aggregation": "mean"}
ONE_STEP: dict[str, Any] = {"local_steps": 1}
P = Quadratic(H, E, weights=[0.4, 0.1, 0.2, 0.3])
HEAVY = {"momentum": 0.5, "server_momentum": 0.25, "aggregation": "mean"}
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], str, dict[str, Any]]] = {
    # algorithm, its options, settings of both, the other algorithm, its options
    "fedvarp, full participation": ("fedvarp", {}, {"eta_s": 0.7}, "fedavg", MEAN),
    "one cluster": ("clusterfedvarp", {"clusters": [[2, 0, 3, 1]]}, {"schedule": GAPS}, "fedavg", MEAN),
    "clusters of one": ("clusterfedvarp", {}, {"schedule": GAPS}, "fedvarp", {}),
    "ordered clusters of one": (
        "clusterfedvarp", {"clusters": [[2], [0], [3], [1]]}, {"schedule": GAPS}, "fedvarp", {},
    ),
    "mifa without waiting, full participation": ("mifa", {"wait": False}, {}, "fedavg", MEAN),
    "fedau, full participation": ("fedau", {}, {}, "fedavg", MEAN),
    "fedawe, full participation": ("fedawe", {}, {"eta_s": 0.8}, "fedavg", MEAN),
    "gap_reweighted came": ("gap_reweighted", {"divisor": "came"}, {}, "fedavg", MEAN),
    "gap_reweighted all": ("gap_reweighted", {"divisor": "all"}, {}, "fedavg", MEAN),
    "scaffold I, one step": ("scaffold", {"variant": "I"}, {"eta_s": 0.8} | ONE_STEP, "fedavg", {}),
    "scaffold II, one step": ("scaffold", {}, {"eta_s": 0.8} | ONE_STEP, "fedavg", {}),
    "fedlin, one step": ("fedlin", {}, {"eta_s": 0.8, "schedule": GAPS} | ONE_STEP, "fedavg", {}),
    "ef21, all coordinates": ("ef21", {"keep": 2}, {"eta_s": 0.8} | ONE_STEP, "fedavg", MEAN),
    "dp_fedavg, neither clipped nor noisy": (
        "dp_fedavg", {"clip": 1e6, "privacy_noise": 0.0}, {"eta_s": 0.7}, "fedavg", {"aggregation": "all"},
    ),
    "fedpaq, no compression": (
        "fedpaq", {"compressor": "none"}, {"eta_s": 0.7, "schedule": GAPS}, "fedavg", MEAN,
    ),
    "fedpaq, all coordinates": (
        "fedpaq", {"compressor": "rand_k", "keep": 2}, {"schedule": GAPS}, "fedavg", MEAN,
    ),
    "gossip_sgd, mixed at once": ("gossip_sgd", {"mixing": 0.0}, {"local_steps": 3}, "fedavg", MEAN),
    "scaffnew, an exchange every time": ("scaffnew", {}, ONE_STEP, "fedavg", MEAN),
    "local_sgd": ("local_sgd", {}, {"eta_s": 0.7, "schedule": GAPS}, "fedavg", {}),
    "minibatch_sgd": ("minibatch_sgd", {}, ONE_STEP, "fedavg", {}),
    "fedprox, mu = 0": ("fedprox", HEAVY, {}, "fedavg", HEAVY),
    "fednova, equal steps": ("fednova", {"momentum": 0.6}, {"local_steps": 3}, "fedavg", {"momentum": 0.6}),
    "fednova, proximal": (
        "fednova", {"momentum": 0.6, "mu": 2.0}, {"local_steps": 4}, "fedprox", {"momentum": 0.6, "mu": 2.0},
    ),
    "fednova, server momentum": (
        "fednova", {"server_momentum": 0.4}, {"local_steps": 3}, "fedavg", {"server_momentum": 0.4},
    ),
    "celgc, never clipped": ("celgc", {"gamma": 1e6}, {"schedule": GAPS}, "fedavg", MEAN),
    "episode, one step": ("episode", {"gamma": 1e6}, {"eta_s": 0.8} | ONE_STEP, "minibatch_sgd", MEAN),
    "clipped_minibatch_sgd, one step": (
        "clipped_minibatch_sgd", {"gamma": 1e6}, {"eta_s": 0.8} | ONE_STEP, "minibatch_sgd", MEAN,
    ),
    "async_sgd, no delay": (
        "async_sgd", {"delays": [[0] * 4]}, {"schedule": GAPS} | ONE_STEP, "minibatch_sgd", {},
    ),
    "uncorrected sgd": ("local_adaptive", {"solver": "sgd", "correction": "none"}, {}, "fedavg", {}),
    "corrected sgd": (
        "local_adaptive", {"solver": "sgd", "correction": "local"}, {}, "fednova", {"tau_eff": 1.0},
    ),
    "jointly corrected sgd": (
        "local_adaptive", {"solver": "sgd", "correction": "joint"}, {}, "fednova",
        {"tau_eff": float(1 / (P.p / [3, 1, 6, 2]).sum())},
    ),
    "vrlsgd, equal steps": (
        "vrlsgd", {}, {"local_steps": 3, "schedule": GAPS}, "vrlsgd", {"divisor": "mean"},
    ),
}  # fmt: skip


@each("case", CASES)
def test_a_special_case_is_the_other_algorithm(case: str) -> None:
    name, options, common, other, its = CASES[case]
    settings: dict[str, Any] = {"x0": [4.0, -3.0], "local_steps": [3, 1, 6, 2], "rounds": 12} | common
    x, expected = (
        trajectory(run(n, P, options=o, **settings), "step").x for n, o in ((name, options), (other, its))
    )
    np.testing.assert_allclose(x, expected, rtol=1e-12, atol=1e-12)


def test_mifa_begins_after_the_waiting_round() -> None:
    x = trajectory(run("mifa", rounds=13), "step").x
    np.testing.assert_allclose(x, trajectory(run("fedavg", options=MEAN), "step").x, rtol=1e-12)
