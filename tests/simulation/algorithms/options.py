"""Options of every algorithm that together take all branches of its functions."""

from __future__ import annotations

from typing import Any

from boundkit.simulation.algorithms import ALGORITHMS

MOMENTA = {"momentum": 0.6, "server_momentum": 0.3}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "adacomm": [{"tau_0": 7, "period": 2, "shrink": 0.8}],
    "async_sgd": [{"delays": delays} for delays in (2, [0, 3, 1], [[0, 1, 2, 3], [4, 0, 0, 1]])],
    "accelerated_local_sgd": [{"server_momentum": 0.4}],
    "clusterfedvarp": [{"clusters": [[3, 0], [1, 2]]}],
    "diloco": [
        {"inner": "sgd"},
        {"inner": "sgd", "momentum": 0.5, "late": True, "nesterov": 0.5},
        {"buffers": "averaged", "epsilon": 0.1},
    ],
    "fedadagrad": [{"beta1": 0.6}],
    "fedadam": [{"beta1": 0.6}],
    "fedau": [{"cutoff": 3}, {"weights": [1, 2, 0.5, 1.5]}],
    "fedavg": [{"aggregation": "mean"}, MOMENTA],
    "fedavgm": [{"nesterov": 1.0}],
    "fedcm": [{"fresh": 0.5}],
    "feddyn": [{"mu": 0.3}],
    "fedexp": [{"epsilon": 0.0}, {"epsilon_times_clients": True}],
    "fednova": [
        MOMENTA | {"mu": 2.0, "decay": 0.8},
        {"variance_reduction": True, "server_momentum": 0.3},
        MOMENTA | {"variance_reduction": True},
    ],
    "fedprox": [{"mu": 0.5}, MOMENTA | {"mu": 0.5}, {"mu": 0.5, "exact": True, "gamma": 0.2}],
    "gap_reweighted": [{"divisor": "all"}],
    "dp_fedavg": [{"clip": 0.1, "privacy_noise": 0.0}],
    "ef21": [{"keep": 2}],
    "fedpaq": [{"compressor": "rand_k"}, {"levels": 3}, {"compressor": "none"}],
    "gossip_sgd": [
        {"mixing": 0.2},
        {"matrix": [[0.5, 0.5, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5]]},
    ],
    "local_adaptive": [
        *({"solver": solver, "correction": "local"} for solver in ("sgd", "adagrad", "yogi")),
        {"correction": "none"},
    ],
    "mifa": [{"wait": False}],
    "overlap_sgd": [{"pull": 0.3, "momentum": 0.5}],
    "robust_fedavg": [{"aggregator": "median"}, {"aggregator": "mean", "byzantine": 2, "attack": "opposite"}],
    "scaffold": [{"variant": "I", "initial_controls": "gradient"}],
    "slowmo": [{"momentum": 0.5}, {"inner": "adamw", "buffers": "reset"}],
    "scaffnew": [{"exchange": 0.3}],
    "dane": [{"mu": 0.3, "solver": 2}],
    "vrlsgd": [{"divisor": "mean"}],
    **{
        name: [{"gamma": 0.02}, {"gamma": 0.15}]
        for name in ("celgc", "clipped_minibatch_sgd", "episode", "episodepp")
    },
}
"""Options beside the defaults."""
CASES = [(name, options) for name in ALGORITHMS for options in ({}, *OPTIONS.get(name, []))]
"""Each algorithm with its defaults and with each of these options."""
