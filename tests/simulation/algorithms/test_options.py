"""Options of the algorithms: unknown names and invalid values are refused in one sentence."""

from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ALGORITHMS, algorithm
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run

NAN, INF = float("nan"), float("inf")
BELOW_ONE = "must be a number from 0 up to, not including, 1"
DELAYS: list[Any] = [-1, 1.5, True, [], [[]], [1, -1], [[0, 1], [None]], 10**9]
INVALID: list[tuple[str, dict[str, Any], str]] = [
    ("fedavg", {"momentum": 1.0}, f"momentum of fedavg {BELOW_ONE}"),
    ("fedavg", {"aggregation": "weigthed"}, "unknown aggregation 'weigthed'; did you mean 'weighted'"),
    ("fedavg", {"aggregation": "known"}, "probabilities"),
    ("fedavg", {"probabilities": [0.5, 0.5]}, "needs the option probabilities, and no other"),
    ("local_sgd", {"momentum": 0.5}, "unknown option of local_sgd 'momentum'"),
    ("fednova", {"decay": 1.1}, "decay of fednova must be a number from 0 up to 1"),
    ("fednova", {"variance_reduction": 1}, "variance_reduction of fednova must be true or false"),
    ("fednova", {"tau_eff": "step"}, "a number above 0, the word steps, or null, but it is 'step'"),
    ("fedprox", {"mu": -1}, "mu of fedprox must be a number from 0"),
    ("fedprox", {"exact": True}, "need mu above 0"),
    ("fedprox", {"exact": True, "mu": 1, "momentum": 0.5}, "take no momentum"),
    ("fedprox", {"gamma": 0.5, "mu": 1}, "it needs exact"),
    ("fedprox", {"gamma": 1.5, "mu": 1, "exact": True}, "gamma of fedprox must be a number from 0 up to 1"),
    ("fedexp", {"epsilon": -1e-9}, "epsilon of fedexp must be a number from 0"),
    ("fedadam", {"beta2": 1.0}, "beta2 of fedadam"),
    *(
        (name, options, words.format(name))
        for name in ("fedadagrad", "fedadam")
        for options, words in (
            ({"adaptivity": 0}, "adaptivity of {} must be above 0"),
            ({"adaptivity": -1}, "adaptivity of {} must be a number"),
            ({"beta1": 1}, "beta1 of {} " + BELOW_ONE),
        )
    ),
    ("overlap_sgd", {"pull": 1.0}, f"pull of overlap_sgd {BELOW_ONE}"),
    ("adacomm", {"tau_0": 0}, "tau_0 of adacomm must be a whole number, at least 1"),
    ("adacomm", {"period": 0}, "period of adacomm"),
    ("adacomm", {"shrink": 0}, "shrink of adacomm must be above 0"),
    ("local_adaptive", {"solver": "adamm"}, "unknown solver 'adamm'; did you mean 'adam'"),
    ("local_adaptive", {"epsilon": 0}, "epsilon of local_adaptive must be above 0"),
    ("scaffold", {"variant": "III"}, "unknown variant"),
    ("robust_fedavg", {"aggregator": "mode"}, "unknown aggregator 'mode'"),
    ("robust_fedavg", {"byzantine": -1}, "byzantine of robust_fedavg must be a whole number"),
    ("ef21", {"keep": 0}, "keep of ef21 must be a whole number"),
    *(
        ("dp_fedavg", {name: -1}, f"{name} of dp_fedavg must be a number")
        for name in ("clip", "privacy_noise")
    ),
    ("dp_fedavg", {"clip": 0}, "clip of dp_fedavg is a length and must be above 0"),
    *(("fedpaq", {name: 0}, f"{name} of fedpaq must be a whole number") for name in ("keep", "levels")),
    ("fedpaq", {"compressor": "rand"}, "unknown compressor 'rand'; did you mean 'rand_k'"),
    ("gossip_sgd", {"mixing": 1}, f"mixing of gossip_sgd {BELOW_ONE}"),
    *((n, {"mu": mu}, f"mu of {n} must be") for n in ("feddyn", "dane") for mu in (0, -1)),
    ("dane", {"solver": -1}, "solver of dane must be a client"),
    *(("scaffnew", {"exchange": p}, "exchange of scaffnew") for p in (0, 1.5, None)),
    ("vrlsgd", {"divisor": "owns"}, "unknown divisor 'owns'; did you mean 'own'"),
    *(("mifa", {"wait": wait}, "wait of mifa must be true or false") for wait in (1, None)),
    *(
        ("fedau", {"cutoff": cutoff}, "cutoff of fedau must be a whole number, at least 1, or null")
        for cutoff in (0, 2.5, True)
    ),
    ("fedau", {"cutoff": 5, "weights": [1.0, 2.5]}, "give cutoff or weights"),
    *(("async_sgd", {"delays": delays}, "option delays of async_sgd") for delays in DELAYS),
    *(
        (name, {"gamma": gamma}, f"gamma of {name}")
        for name in ("celgc", "clipped_minibatch_sgd", "episode", "episodepp")
        for gamma in (0, "much", NAN)
    ),
]
CLUSTERS: list[Any] = [
    [[0, 1], [2]], [[0, 1], [2, 2, 3]], [[0, 1], [], [2, 3]], [[0, 1], [2, 3, 4]], [0, 1, 2, 3], "0123",
    [["0", 1], [2, 3]], [[True, 0], [2, 3]], [], 4,
]  # fmt: skip
INVALID_RUNS: list[tuple[str, dict[str, Any], Any, str]] = [
    *(
        (
            "fedavg",
            {"aggregation": "known", "probabilities": q},
            1,
            "probabilities of fedavg must be 4 numbers",
        )
        for q in ([0.5], [0.5, 0.0, 1.0, 1.0], [0.5, 1.5, 1, 1])
    ),
    *(("gossip_sgd", {"matrix": W}, 1, "symmetric, 4 by 4") for W in ([[1]], "no", [[1, 0, 0, 0]] * 4)),
    *(
        ("fedau", {"weights": weights}, 1, "weights of fedau must be 4 numbers above 0")
        for weights in ([1.0], [1, 2, 3, 0])
    ),
    *(
        (name, {"clusters": each}, 1, f"clusters of {name} must be lists of clients .* 0 to 3 stands once")
        for name in ("fedvarp", "clusterfedvarp")
        for each in CLUSTERS
    ),
    ("minibatch_sgd", {}, 3, "local_steps must be 1, but it is 3"),
    ("fedprox", {"mu": 1.0, "exact": True}, [1, 4, 1, 1], "local_steps must be 1, but it is 4"),
    ("async_sgd", {}, 4, "local_steps must be 1, but it is 4"),
    ("async_sgd", {"delays": [[1, 2, 3]]}, 1, "must be one number, or 4, one a client"),
    ("adacomm", {}, [1, 2, 3, 4], "local_steps must be one number, or the option tau_0"),
]


def test_invalid_values_are_refused() -> None:
    for name, options, words in INVALID:
        with pytest.raises(BoundkitError, match=words):
            pytest.fail(f"{name} accepts {algorithm(name, options).settings}")


def test_options_and_local_steps_that_do_not_fit_a_run_are_refused() -> None:
    four = Quadratic([1.0] * 4, np.zeros((4, 1)))
    for name, options, steps, words in INVALID_RUNS:
        with pytest.raises(BoundkitError, match=words):
            make_run(name, four, rounds=1, eta=0.1, local_steps=steps, options=options)


def test_an_unknown_option_is_answered_with_a_similar_one() -> None:
    for name in [n for n, a in ALGORITHMS.items() if a.options]:
        option = next(iter(ALGORITHMS[name].options))
        with pytest.raises(BoundkitError, match=f"unknown option of {name} '{option}x'.*'{option}'"):
            algorithm(name, {option + "x": 1})


def test_options_that_change_the_algorithm_from_the_papers() -> None:
    for name, kind in ALGORITHMS.items():
        assert algorithm(name, kind.options).changed_options() == [], name
    changes: list[tuple[str, dict[str, Any], list[str]]] = [
        ("fedavg", {"server_momentum": 0.25}, ["server_momentum = 0.25"]),
        ("fedprox", {"mu": 2.0, "exact": True, "gamma": 0.5}, []),
        ("fedprox", {"momentum": 0.5}, ["momentum = 0.5"]),
        ("local_adaptive", {"solver": "yogi", "correction": "local"}, []),
        ("local_adaptive", {"correction": "none"}, ["correction = 'none'"]),
        ("fedau", {"cutoff": 7}, []),
    ]
    for name, options, expected in changes:
        assert algorithm(name, options).changed_options() == expected, name
