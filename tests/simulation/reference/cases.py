"""Runs that boundkit and the reference must agree on: algorithm, RUN.json, one name each.

Between them: d = 1, 2, 3; Hessians as numbers, diagonals and full matrices; a polynomial; unequal p; unequal
tau_i, and tau_i that change from round to round; server steps; schedules with empty rounds, first rounds
among them; every option of every algorithm away from its default.
"""

from __future__ import annotations

from typing import Any

Spec = dict[str, Any]

LINE: Spec = {"kind": "quadratic", "H": [1.0, 2.0, 0.5], "e": [[1.0], [-2.0], [4.0]], "p": [0.5, 0.3, 0.2]}
PLANE: Spec = {
    "kind": "quadratic",
    "H": [[[2.0, 0.5], [0.5, 1.0]], 1.0, [0.5, 1.5], [[1.0, -0.25], [-0.25, 0.75]]],
    "e": [[1.0, 0.5], [-1.0, 2.0], [3.0, -1.0], [0.5, 4.0]],
    "p": [0.4, 0.1, 0.2, 0.3],
}
SPACE: Spec = {
    "kind": "quadratic",
    "H": [
        [[1.5, 0.25, 0.5], [0.25, 1.0, -0.25], [0.5, -0.25, 2.0]],
        [0.5, 1.0, 1.5],
        0.75,
        [[1.0, 0.5, 0.0], [0.5, 1.25, 0.25], [0.0, 0.25, 0.5]],
        [2.0, 0.25, 1.0],
    ],
    "e": [[1.0, -2.0, 0.5], [3.0, 1.0, -1.0], [-1.5, 0.25, 2.0], [2.0, 4.0, 1.0], [-4.0, -1.0, 3.0]],
    "p": [0.1, 0.35, 0.05, 0.3, 0.2],
}
QUARTIC: Spec = {
    "kind": "polynomial",
    "coefficients": [[1.0, -3.0, 2.0, 1.0, 0.0], [1.0, -3.0, -4.0, 1.0, 0.0], [0.5, 0.0, 1.0, -2.0, 3.0]],
    "p": [0.3, 0.2, 0.5],
}

X1, X2, X3 = [5.0], [4.0, -3.0], [5.0, -5.0, 2.0]
GAPS3 = [[0, 2], [], [1], [0, 1, 2], [], [], [2], [0, 1]]
GAPS4 = [[], [0, 3], [1], [0, 1, 2, 3], [], [2, 3], [0], [1, 2, 0]]
GAPS5 = [[0, 1, 2, 3, 4], [4, 2], [1], [], [0, 3, 4], [2], [], [], [1, 0], [4, 3], [1, 2, 3]]
STEPS3, STEPS4, STEPS5 = [2, 5, 3], [3, 1, 6, 2], [1, 4, 2, 5, 3]
ROWS3 = [[2, 5, 3], [1, 1, 4], [3, 2, 2]]
ROWS4 = [[3, 1, 6, 2], [2, 4, 1, 5]]
ROWS5 = [[1, 4, 2, 5, 3], [2, 2, 2, 2, 2], [5, 1, 3, 1, 4]]


def line(steps: Any = STEPS3, **more: Any) -> Spec:
    return {"problem": LINE, "x0": X1, "rounds": 24, "eta": 0.1, "local_steps": steps} | more


def plane(steps: Any = STEPS4, **more: Any) -> Spec:
    return {"problem": PLANE, "x0": X2, "rounds": 24, "eta": 0.08, "local_steps": steps} | more


def space(steps: Any = STEPS5, **more: Any) -> Spec:
    return {"problem": SPACE, "x0": X3, "rounds": 24, "eta": 0.06, "local_steps": steps} | more


def quartic(steps: Any = STEPS3, **more: Any) -> Spec:
    return {"problem": QUARTIC, "x0": [1.0], "rounds": 24, "eta": 0.01, "local_steps": steps} | more


def options(**given: Any) -> Spec:
    return {"options": given}


AVERAGING: dict[str, tuple[str, Spec]] = {
    "fedavg-full": ("fedavg", space()),
    "fedavg-one number of steps": ("fedavg", line(4)),
    "fedavg-gaps, rows": ("fedavg", plane(ROWS4, schedule=GAPS4, eta_s=0.7)),
    "fedavg-mean": ("fedavg", plane(schedule=GAPS4) | options(aggregation="mean")),
    "fedavg-all": ("fedavg", line(ROWS3, schedule=GAPS3) | options(aggregation="all")),
    "fedavg-sum": ("fedavg", plane(ROWS4, schedule=GAPS4) | options(aggregation="sum")),
    "fedavg-known": (
        "fedavg",
        space(schedule=GAPS5) | options(aggregation="known", probabilities=[0.9, 0.5, 0.8, 0.6, 1.0]),
    ),
    "fedavg-unbiased": ("fedavg", plane(ROWS4) | options(aggregation="unbiased")),
    "fedavg-momentum": ("fedavg", space(ROWS5, schedule=GAPS5) | options(momentum=0.8)),
    "fedavg-server momentum": ("fedavg", plane(schedule=GAPS4, eta_s=0.6) | options(server_momentum=0.7)),
    "fedavg-all three": (
        "fedavg",
        line(ROWS3, schedule=GAPS3, eta_s=0.5)
        | options(momentum=0.5, server_momentum=0.6, aggregation="mean"),
    ),
    "fedavg-nobody": ("fedavg", line(schedule=[[]], rounds=3)),
    "fedavg-p by default": (
        "fedavg",
        plane(schedule=GAPS4) | {"problem": {k: v for k, v in PLANE.items() if k != "p"}},
    ),
    "fedavg-who weighs nothing": (
        "fedavg",
        line(schedule=[[2], [0, 2], [1]]) | {"problem": LINE | {"p": [0.75, 0.25, 0.0]}},
    ),
    "fedavg-who weighs nothing, momentum": (
        "fedavg",
        line(schedule=[[0], [2], [0, 2], [1]])
        | {"problem": LINE | {"p": [0.75, 0.25, 0.0]}}
        | options(server_momentum=0.5),
    ),
    "fedavg-quartic": ("fedavg", quartic(ROWS3, schedule=GAPS3)),
    "local_sgd-full": ("local_sgd", space(4)),
    "local_sgd-gaps": ("local_sgd", plane(3, schedule=GAPS4, eta_s=0.8)),
    "minibatch_sgd-full": ("minibatch_sgd", space(1, eta=0.2)),
    "minibatch_sgd-gaps": ("minibatch_sgd", plane(1, eta=0.3, schedule=GAPS4, eta_s=1.2)),
    "minibatch_sgd-mean, momentum": (
        "minibatch_sgd",
        line(1, schedule=GAPS3) | options(aggregation="mean", server_momentum=0.5),
    ),
    "fedprox-full": ("fedprox", space() | options(mu=1.5)),
    "fedprox-gaps, rows": ("fedprox", plane(ROWS4, schedule=GAPS4, eta_s=1.3) | options(mu=0.7)),
    "fedprox-momentum": ("fedprox", line(ROWS3, schedule=GAPS3) | options(mu=2.0, momentum=0.6)),
    "fedprox-all": (
        "fedprox",
        plane(schedule=GAPS4) | options(mu=0.5, aggregation="all", server_momentum=0.4),
    ),
    "fedprox-quartic": ("fedprox", quartic() | options(mu=3.0)),
    "fednova-full": ("fednova", space()),
    "fednova-gaps, rows": ("fednova", plane(ROWS4, schedule=GAPS4, eta_s=0.8)),
    "fednova-momentum": ("fednova", line(ROWS3, schedule=GAPS3) | options(momentum=0.7)),
    "fednova-prox": ("fednova", space(ROWS5) | options(mu=2.0)),
    "fednova-prox, steps": ("fednova", space(schedule=GAPS5) | options(mu=2.0, tau_eff="steps")),
    "fednova-momentum, steps": ("fednova", plane() | options(momentum=0.3, tau_eff="steps")),
    "fednova-momentum, prox": ("fednova", plane(ROWS4, schedule=GAPS4) | options(momentum=0.6, mu=1.0)),
    "fednova-decay": ("fednova", line(ROWS3) | options(decay=0.8)),
    "fednova-decay, momentum": ("fednova", plane(schedule=GAPS4) | options(decay=0.7, momentum=0.5)),
    "fednova-decay, prox, momentum": (
        "fednova",
        space(ROWS5) | options(decay=0.9, mu=1.5, momentum=0.4),
    ),
    "fednova-a number": ("fednova", plane(schedule=GAPS4) | options(tau_eff=2.5)),
    "fednova-server momentum": ("fednova", space(schedule=GAPS5, eta_s=0.5) | options(server_momentum=0.6)),
    "fednova-reduced": ("fednova", line(ROWS3) | options(variance_reduction=True)),
    "fednova-reduced, gaps": ("fednova", plane(ROWS4, schedule=GAPS4) | options(variance_reduction=True)),
    "fednova-reduced, momentum": (
        "fednova",
        space(ROWS5, schedule=GAPS5) | options(variance_reduction=True, momentum=0.4),
    ),
    "fednova-quartic": ("fednova", quartic(ROWS3) | options(momentum=0.5)),
}

CORRECTED: dict[str, tuple[str, Spec]] = {
    "scaffold-II, full": ("scaffold", space()),
    "scaffold-II, gaps, rows": ("scaffold", plane(ROWS4, schedule=GAPS4, eta_s=0.8)),
    "scaffold-I, full": ("scaffold", plane() | options(variant="I")),
    "scaffold-I, gaps, rows": ("scaffold", line(ROWS3, schedule=GAPS3) | options(variant="I")),
    "scaffold-II, gradient": (
        "scaffold",
        space(ROWS5, schedule=GAPS5) | options(initial_controls="gradient"),
    ),
    "scaffold-I, gradient": (
        "scaffold",
        plane(schedule=GAPS4) | options(initial_controls="gradient", variant="I"),
    ),
    "scaffold-one client": (
        "scaffold",
        line(3) | {"problem": {"kind": "quadratic", "H": [0.5], "e": [[1.0]]}},
    ),
    "scaffold-quartic": ("scaffold", quartic(ROWS3, schedule=GAPS3)),
    "vrlsgd-own": ("vrlsgd", space()),
    "vrlsgd-mean": ("vrlsgd", plane() | options(divisor="mean")),
    "vrlsgd-mean, rows": ("vrlsgd", line([[2, 5, 3], [4, 3, 2]], eta=0.2) | options(divisor="mean")),
    "vrlsgd-own, gaps, rows": ("vrlsgd", plane(ROWS4, schedule=GAPS4)),
    "vrlsgd-mean, gaps": ("vrlsgd", space([2, 3, 3, 2, 3], schedule=GAPS5) | options(divisor="mean")),
    "vrlsgd-own, server step": ("vrlsgd", line(eta_s=0.6)),
    "vrlsgd-mean, server step": ("vrlsgd", plane(eta_s=0.8) | options(divisor="mean")),
}

REMEMBERED: dict[str, tuple[str, Spec]] = {
    "fedvarp-full": ("fedvarp", plane()),
    "fedvarp-gaps": ("fedvarp", space(schedule=GAPS5, eta_s=0.7)),
    "fedvarp-gaps, rows": ("fedvarp", line(ROWS3, schedule=GAPS3, eta_s=0.5)),
    "clusterfedvarp-two": (
        "clusterfedvarp",
        space(schedule=GAPS5) | options(clusters=[[0, 3], [1, 2, 4]]),
    ),
    "clusterfedvarp-unordered, rows": (
        "clusterfedvarp",
        plane(ROWS4, schedule=GAPS4, eta_s=0.6) | options(clusters=[[2, 0, 3], [1]]),
    ),
    "clusterfedvarp-one": ("clusterfedvarp", line(schedule=GAPS3) | options(clusters=[[0, 1, 2]])),
    "mifa-full": ("mifa", plane() | options(wait=True)),
    "mifa-wait, gaps": ("mifa", space(schedule=GAPS5[1:]) | options(wait=True)),
    "mifa-wait, rows": ("mifa", line(ROWS3, schedule=GAPS3, eta_s=0.6) | options(wait=True)),
    "mifa-somebody never comes": ("mifa", line(schedule=[[0], [], [1]]) | options(wait=True)),
    "mifa-no wait": ("mifa", plane(ROWS4, schedule=GAPS4, eta_s=0.7) | options(wait=False)),
    "mifa-no wait, space": ("mifa", space(schedule=GAPS5[1:]) | options(wait=False)),
}

AVAILABLE: dict[str, tuple[str, Spec]] = {
    "fedau-no cutoff": ("fedau", space(schedule=GAPS5, eta=0.03) | options(cutoff=None)),
    "fedau-cutoff 2": ("fedau", plane(ROWS4, schedule=GAPS4, eta=0.03) | options(cutoff=2)),
    "fedau-cutoff 3": ("fedau", line(schedule=[[0], [0, 1], [0], [], [0, 2]]) | options(cutoff=3)),
    "fedau-cutoff 1": ("fedau", line(schedule=GAPS3, eta_s=0.8) | options(cutoff=1)),
    "fedau-full": ("fedau", plane() | options(cutoff=50)),
    "fedawe-full": ("fedawe", plane()),
    "fedawe-gaps": ("fedawe", space(schedule=GAPS5, eta=0.03)),
    "fedawe-gaps, rows": ("fedawe", line(ROWS3, schedule=GAPS3, eta=0.05, eta_s=0.8)),
    "fedawe-first rounds empty": ("fedawe", plane(schedule=[[], *GAPS4], eta=0.03, eta_s=1.1)),
}

SERVERS: dict[str, tuple[str, Spec]] = {
    "fedexp-full": ("fedexp", space() | options(epsilon=0.1)),
    "fedexp-gaps": ("fedexp", plane(ROWS4, schedule=GAPS4) | options(epsilon=0.02)),
    "fedexp-times clients": (
        "fedexp",
        space(schedule=GAPS5, eta_s=0.7) | options(epsilon=0.02, epsilon_times_clients=True),
    ),
    "fedexp-far": ("fedexp", line(x0=[9.0], rounds=40) | options(epsilon=0.01)),
    "fedexp-line": ("fedexp", line(ROWS3) | options(epsilon=0.05)),
    "fedadagrad-full": ("fedadagrad", space(eta_s=0.3) | options(adaptivity=0.05)),
    "fedadagrad-gaps": ("fedadagrad", plane(ROWS4, schedule=GAPS4, eta_s=0.4) | options(adaptivity=0.5)),
    "fedadagrad-beta1": ("fedadagrad", line(schedule=GAPS3) | options(adaptivity=0.2, beta1=0.6)),
    "fedadam-full": ("fedadam", plane(eta_s=0.1) | options(adaptivity=0.1, beta1=0.8, beta2=0.9)),
    "fedadam-gaps": (
        "fedadam",
        space(ROWS5, schedule=GAPS5, eta_s=0.2) | options(adaptivity=0.3, beta1=0.5, beta2=0.95),
    ),
    "fedadam-no beta1": ("fedadam", line(eta_s=0.2) | options(adaptivity=0.2, beta1=0.0, beta2=0.7)),
}

CLIPPED: dict[str, tuple[str, Spec]] = {
    "episode-full": ("episode", space(eta_s=0.9) | options(gamma=0.2)),
    "episode-gaps": ("episode", plane(ROWS4, schedule=GAPS4) | options(gamma=0.15)),
    "episode-quartic": ("episode", quartic(8) | options(gamma=0.05)),
    "episodepp-full": ("episodepp", plane() | options(gamma=0.15)),
    "episodepp-gaps": ("episodepp", space(ROWS5, schedule=GAPS5) | options(gamma=0.2)),
    "episodepp-line": ("episodepp", line(schedule=GAPS3, eta_s=0.8) | options(gamma=0.25)),
    "celgc-full": ("celgc", space() | options(gamma=0.2)),
    "celgc-gaps": ("celgc", plane(ROWS4, schedule=GAPS4, eta_s=1.2) | options(gamma=0.15)),
    "celgc-quartic": ("celgc", quartic(ROWS3, schedule=GAPS3) | options(gamma=0.03)),
    "clipped_minibatch_sgd-full": ("clipped_minibatch_sgd", space(1, eta=0.3) | options(gamma=0.5)),
    "clipped_minibatch_sgd-gaps": (
        "clipped_minibatch_sgd",
        plane(1, schedule=GAPS4, eta=0.2, eta_s=0.8) | options(gamma=0.4),
    ),
}

CLOCKED: dict[str, tuple[str, Spec]] = {
    "async_sgd-no delay": ("async_sgd", space(1, eta=0.2) | options(delays=0)),
    "async_sgd-one delay": ("async_sgd", plane(1) | options(delays=2)),
    "async_sgd-a delay each": ("async_sgd", space(1) | options(delays=[[0, 3, 1, 2, 5]])),
    "async_sgd-one at a time": (
        "async_sgd",
        line(1, schedule=[[0], [1], [2]], eta_s=0.7)
        | options(delays=[[2, 2, 2], [0, 0, 0], [1, 1, 1], [4, 4, 4]]),
    ),
    "async_sgd-a delay a round, gaps": (
        "async_sgd",
        plane(1, schedule=GAPS4) | options(delays=[1, 0, 3, 2, 7]),
    ),
    "async_sgd-gaps": (
        "async_sgd",
        plane(1, schedule=GAPS4, eta_s=1.1) | options(delays=[[1, 0, 3, 2], [0, 1, 1, 4]]),
    ),
    "overlap_sgd-full": ("overlap_sgd", space() | options(pull=0.6, momentum=0.7)),
    "overlap_sgd-no momentum": ("overlap_sgd", plane(ROWS4) | options(pull=0.5, momentum=0.0)),
    "overlap_sgd-line": ("overlap_sgd", line(4) | options(pull=0.4, momentum=0.3)),
    "overlap_sgd-gaps": ("overlap_sgd", plane(schedule=GAPS4, eta_s=0.8) | options(pull=0.3, momentum=0.2)),
    "adacomm-full": ("adacomm", space(1, eta=0.02) | options(tau_0=16, period=3)),
    "adacomm-halving": ("adacomm", line(1, eta=0.002) | options(tau_0=13, period=4)),
    "adacomm-gaps": ("adacomm", plane(1, eta=0.03, schedule=GAPS4) | options(tau_0=9, period=2)),
}

ADAPTIVE: dict[str, tuple[str, Spec]] = {
    "local_adaptive-sgd, none": ("local_adaptive", space() | options(solver="sgd", correction="none")),
    "local_adaptive-sgd, joint": ("local_adaptive", plane(ROWS4) | options(solver="sgd", correction="joint")),
    "local_adaptive-sgd, beta1, local": (
        "local_adaptive",
        line(schedule=GAPS3, eta_s=3.0) | options(solver="sgd", correction="local", beta1=0.5),
    ),
    "local_adaptive-adagrad, none": (
        "local_adaptive",
        space(ROWS5, schedule=GAPS5) | options(solver="adagrad", correction="none", epsilon=0.1),
    ),
    "local_adaptive-adagrad, local": (
        "local_adaptive",
        plane(eta_s=2.0) | options(solver="adagrad", correction="local", epsilon=0.1),
    ),
    "local_adaptive-adagrad, joint": (
        "local_adaptive",
        space(schedule=GAPS5) | options(solver="adagrad", correction="joint", epsilon=0.1),
    ),
    "local_adaptive-adam, none": (
        "local_adaptive",
        plane(ROWS4, schedule=GAPS4) | options(solver="adam", correction="none", epsilon=0.5),
    ),
    "local_adaptive-adam, local": (
        "local_adaptive",
        line(eta_s=2.0) | options(solver="adam", correction="local", epsilon=0.5, beta1=0.8, beta2=0.95),
    ),
    "local_adaptive-adam, joint": (
        "local_adaptive",
        space() | options(solver="adam", correction="joint", epsilon=0.3, beta1=0.7),
    ),
    "local_adaptive-yogi, none": (
        "local_adaptive",
        space() | options(solver="yogi", correction="none", epsilon=0.5, beta2=0.9),
    ),
    "local_adaptive-yogi, local": (
        "local_adaptive",
        plane(schedule=GAPS4) | options(solver="yogi", correction="local", epsilon=0.4, beta1=0.6),
    ),
    "local_adaptive-yogi, joint": (
        "local_adaptive",
        plane(ROWS4) | options(solver="yogi", correction="joint", epsilon=0.4, beta1=0.6),
    ),
}

OUTER: dict[str, tuple[str, Spec]] = {
    "fedavg-nesterov": (
        "fedavg",
        plane(schedule=GAPS4, eta_s=0.6) | options(server_momentum=0.7, nesterov=1.0),
    ),
    "minibatch_sgd-between": ("minibatch_sgd", line(1) | options(server_momentum=0.5, nesterov=0.4)),
    "fedavgm-heavy ball": ("fedavgm", space(eta_s=0.2)),
    "fedavgm-nesterov": ("fedavgm", space(ROWS5, schedule=GAPS5, eta_s=0.7) | options(nesterov=1.0)),
    "diloco-adamw": ("diloco", plane(ROWS4, schedule=GAPS4, eta_s=0.7)),
    "diloco-adamw, reset": ("diloco", line(eta_s=0.5) | options(buffers="reset", epsilon=0.1)),
    "diloco-adamw, averaged": ("diloco", line(schedule=GAPS3) | options(buffers="averaged", epsilon=0.5)),
    "diloco-sgd": ("diloco", space(eta_s=0.7) | options(inner="sgd")),
    "diloco-sgd, momentum": (
        "diloco",
        plane(schedule=GAPS4, eta_s=0.4) | options(inner="sgd", momentum=0.6, server_momentum=0.5),
    ),
    "diloco-late": (
        "diloco",
        line(schedule=GAPS3, eta_s=0.2) | options(inner="sgd", late=True, nesterov=0.0, server_momentum=0.3),
    ),
    "slowmo-momentum": ("slowmo", space(schedule=GAPS5, eta_s=0.8) | options(momentum=0.5)),
    "slowmo-averaged": ("slowmo", plane(ROWS4) | options(momentum=0.5, buffers="averaged")),
    "slowmo-adamw": ("slowmo", line() | options(inner="adamw", weight_decay=0.1, buffers="reset")),
    "accelerated_local_sgd": ("accelerated_local_sgd", plane(schedule=GAPS4)),
    "accelerated_local_sgd-constant": (
        "accelerated_local_sgd",
        space(5, eta_s=0.9) | options(server_momentum=0.6),
    ),
    "fedcm-full": ("fedcm", space(rounds=60) | options(fresh=0.2)),
    "fedcm-gaps": ("fedcm", plane(ROWS4, schedule=GAPS4, eta_s=0.7) | options(fresh=0.6)),
}

CASES: dict[str, tuple[str, Spec]] = (
    AVERAGING | CORRECTED | REMEMBERED | AVAILABLE | SERVERS | CLIPPED | CLOCKED | ADAPTIVE | OUTER
)
