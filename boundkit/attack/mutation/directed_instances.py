"""Runs of which single terms or factors are the reason, for the assumptions of a theorem."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
from sympy import Pow

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T, chi2, delta_hess, eta_s, grad_max, mu_prox, target, third
from boundkit.attack.candidate import arrange_plan
from boundkit.attack.evidence import (
    Evidence,
    collect_evidence,
)
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.measurement import Measurement, measurement_of_evidence
from boundkit.attack.random_instances import allows_local_steps
from boundkit.simulation.problems import ClippingProblem, LogCosh, Quadratic
from boundkit.verification.default_instances import build_run, default_instances
from boundkit.verification.families.lower_bounds import further_instances
from boundkit.verification.instance import Instance


def measure(piece: Callable[[], Evidence]) -> Iterator[Measurement]:
    """Yield the measurement of a piece of evidence; nothing where the theorem does not apply."""
    try:
        with np.errstate(all="ignore"):
            yield measurement_of_evidence(piece(), "falsifier")
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return


def _clipping(theorem: Theorem) -> Iterator[Instance]:
    """A ramp whose corner bends little, at the longest steps that do not overshoot in the valley; and the
    largest gradient is the target, which no round is needed for, and steps are too long."""
    if not {grad_max, target} <= set(theorem.quantities):
        return
    gentle = 0.1
    ramp = ClippingProblem("ramp", 8, 1.0, 1.0, grad_max=gentle, target=0.4 * gentle, gap=5.0)
    width = np.arcsinh(gentle)
    yield Instance(
        "a gentle ramp", ramp, rounds=2000, present=1 / 8, eta=2 * width / gentle * (1 - 1e-9),
        options={"gamma": 2 * width}, x0=ramp.start, target=0.4 * gentle,
    )  # fmt: skip
    steepest, width = 4.0, np.arcsinh(4.0)
    valley = ClippingProblem("valley", 3, 1.0, 1.0, grad_max=steepest, target=steepest, gap=1000.0)
    yield Instance(
        "reached at the start", valley, rounds=60, present=1 / 3, eta=8 * width / steepest,
        options={"gamma": 2 * width}, x0=valley.start, target=steepest,
    )  # fmt: skip


_MANY, _CROWD, _MOST_ROUNDS = 16, 100, 300
_MANY_REPLICAS = 2000
"""Of instances of lower bounds, whose margins are small."""
_LONG = 1000


def measure_directed_instances(theorem: Theorem) -> Iterator[Measurement]:
    """Yield the measurements of these instances, where the theorem applies to them."""
    if theorem.kind == "lower":
        for plan in (*further_instances(theorem), *_clipping(theorem)):
            yield from measure(partial(_made, theorem, plan))
    if theorem.kind != "upper":
        return
    for kind in (
        _heaviest,
        _chosen,
        _falling,
        _started,
        _turns,
        _old,
        _honest,
        _sparse,
        _solved,
        _unequal,
        _absent,
        _near,
        _apart,
        _outer,
    ):
        if theorem.rules and kind is not _turns:  # which alone chooses how many rounds a rule allows
            continue
        for plan in kind(theorem):
            for each in measure(partial(_made, theorem, plan)):
                yield replace(each, stage="verification")


def _made(theorem: Theorem, plan: Instance) -> Evidence:
    replicas = _MANY_REPLICAS if theorem.kind == "lower" else 32
    return collect_evidence(
        theorem, build_run(theorem, arrange_plan(theorem, plan)), FastEngineOptions(replicas=replicas)
    )


def _heaviest(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone where one client has most of the weight: with adaptive weights, and where many of many
    clients are drawn by their weights, so that sampling costs little."""
    adaptive = {"A_noise", "A_mean"} & {q.name for q in theorem.quantities}
    drawn = theorem.assumes("decaying-step") and theorem.assumes("sampling-with-replacement")
    if not adaptive and not drawn:
        return
    clients = _CROWD if drawn else _MANY
    weights = np.full(clients, 0.02 / (clients - 1))
    weights[0] = 0.98
    bowl = Quadratic([1.0] * clients, np.zeros((clients, 1)), weights, noise=1.0)
    if drawn:
        yield Instance("one client weighs most", bowl, local_steps=1, rounds=_MOST_ROUNDS, x0=np.zeros(1))
    else:
        yield Instance("one client weighs most", bowl, local_steps=2, rounds=2000, x0=np.zeros(1), step=0.01)


def _chosen(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone, and different minimisers alone, from the optimum, while their errors grow."""
    if not theorem.assumes("biased-selection"):
        return
    base = next(iter(default_instances(theorem)))  # of curvature 1, as all here
    uneven = Quadratic([1.0, 1.0], [[1.0], [-1.0]], [0.9, 0.1])  # the largest loss is least at 0
    if base.participation.get("kind") == "power_of_choice":
        yield replace(base, problem=uneven, local_steps=1, x0=uneven.centre, rounds=_MOST_ROUNDS)
    noisy = Quadratic([1.0] * _MANY, np.zeros((_MANY, 1)), noise=1.0)
    e = np.random.default_rng(0).standard_normal((_MANY, 1))
    apart = Quadratic([1.0] * _MANY, e - e.mean())
    falls = theorem.assumes("decaying-step")  # every round has a map of its own
    for problem in (noisy, apart):
        for participation in ({"kind": "with_replacement", "count": 1}, {"kind": "uniform", "C": 0.5}):
            plan = replace(
                base, problem=problem, local_steps=1, x0=np.zeros(1), rounds=60 if falls else _MOST_ROUNDS,
                participation=participation,
            )  # fmt: skip
            yield plan
            if isinstance(plan.eta, float):
                yield replace(plan, eta=0.02 * plan.eta)


def _falling(theorem: Theorem) -> Iterator[Instance]:
    """Heterogeneous clients at the optimum in one long round, where decreasing steps are largest."""
    if not theorem.assumes("decaying-step") or not allows_local_steps(theorem):
        return
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    yield Instance("one long round", line, _LONG, rounds=1, x0=line.centre)


def _started(theorem: Theorem) -> Iterator[Instance]:
    """The initial gap alone, with decreasing steps, and with small and large server steps."""
    bowl, one = Quadratic([1.0, 1.0], np.zeros((2, 1))), np.ones(1)
    if theorem.assumes("decaying-step") and not theorem.assumes("biased-selection"):
        yield Instance("a start, falling steps", bowl, rounds=100, x0=one)
    forgotten = any(T in p.exp.free_symbols for t in theorem.terms for p in t.expr.atoms(Pow))
    if forgotten and eta_s in theorem.quantities:
        for server in (0.05, 5.0):
            yield Instance("a start, the server's steps", bowl, rounds=_MOST_ROUNDS, x0=one, eta_s=server)


def _turns(theorem: Theorem) -> Iterator[Instance]:
    """Half of each of many groups that differ within and agree between, or the other way round; noise alone;
    all but one client of two groups; and two equal groups of a steep client and a concave one."""
    if not theorem.assumes("cyclic-participation"):
        return
    taus = (1, 16) if allows_local_steps(theorem) else (1,)
    cycles, steps = (80, (1.0,)) if theorem.rules else (20, (1.0, 0.1))
    few = {"kind": "cyclic", "groups": 2, "count": 15}
    alternating = Quadratic([1.0] * 32, np.tile([1.0, -1.0], 16)[:, None])
    for step in (1.0, 0.1):
        yield Instance("all but one", alternating, participation=few, rounds=400, x0=np.zeros(1), step=step)
    if allows_local_steps(theorem):
        for step in (1.0, 0.5):
            yield _concave_clients(step)
    for groups in (2, 4, 16, 128):
        clients = 2 * groups
        inside = Quadratic([1.0] * clients, np.tile([1.0, -1.0], groups)[:, None])
        outside = Quadratic([1.0] * clients, np.repeat([-1.0, 1.0], groups)[:, None])
        noisy = Quadratic([1.0] * clients, np.zeros((clients, 1)), noise=1.0)
        for tau in taus if groups < 128 else (1,):
            for problem, count in ((inside, {"count": 1}), (outside, {}), (noisy, {})):
                participation = {"kind": "cyclic", "groups": groups, **count}
                for step in steps:
                    yield Instance(
                        "groups",
                        problem,
                        tau,
                        participation=participation,
                        rounds=cycles * groups,
                        x0=np.zeros(1),
                        step=step,
                    )


def _concave_clients(step: float) -> Instance:
    """Two groups of the same two clients, from the fixed point, where their drifts add up in a flat mean."""
    curvatures, minimisers = np.array([1.0, -0.98]), np.array([1.0, -1.0])
    eta = step / 32  # 1/8, the smallest of the limits of eta L tau groups
    moved = curvatures * (2 - eta * curvatures)
    return Instance(
        "a steep client and a concave one",
        Quadratic(np.tile(curvatures, 2), np.tile(minimisers, 2)[:, None]),
        2,
        eta=eta,
        participation={"kind": "cyclic", "groups": 2},
        rounds=40_000,
        x0=np.array([moved @ minimisers / moved.sum()]),
    )


def _honest(theorem: Theorem) -> Iterator[Instance]:
    """No Byzantine clients, so that the robust aggregate is the mean: noise alone, from the optimum."""
    if theorem.assumes("robust-aggregation") and theorem.assumes("bounded-noise"):
        bowl = Quadratic([1.0] * 4, np.zeros((4, 1)), noise=1.0)
        yield Instance("honest clients", bowl, rounds=_MOST_ROUNDS, x0=np.zeros(1), options={"byzantine": 0})


def _unequal(theorem: Theorem) -> Iterator[Instance]:
    """A steep client of one step and a flat one of many, which has most of the weight in the surrogate."""
    if chi2 not in theorem.quantities or not theorem.solvers:
        return
    for steps, flat, step in product((3, 10, 30, 100), (1e-3, 0.05, 0.2), (1.0, 0.3, 0.15)):
        for weights in (None, [0.3, 0.7]):
            bowl = Quadratic([1.0, flat], np.zeros((2, 1)), weights)
            yield Instance("unequal work", bowl, [1, steps], rounds=4000, x0=np.ones(1), step=step)


def _solved(theorem: Theorem) -> Iterator[Instance]:
    """Two clients of nearly equal curvature from the optimum, and one curvature from afar, solved exactly."""
    if mu_prox not in theorem.quantities:
        return
    if not any(map(theorem.assumes, ("exact-proximal-minimisers", "similar-solver"))):
        return
    base = next(iter(default_instances(theorem)))
    for mu in (0.5, 0.8, 0.95, 0.999):
        unlike = Quadratic([1.0, mu], [[1.0], [-1.0 / mu]])
        for weight in (0.1, mu**0.5, 10.0):
            plan = replace(base, rounds=12, options={**base.options, "mu": weight})
            yield replace(plan, problem=unlike, x0=unlike.centre)
            yield replace(plan, problem=Quadratic([mu, mu], np.zeros((2, 1))), x0=np.ones(1))


def _sparse(theorem: Theorem) -> Iterator[Instance]:
    """From the optimum, half of the clients with one large coordinate, the others with all of them equal.

    A compressor keeps the former and most of the latter is missing, so that the model leaves the optimum.
    """
    if not theorem.assumes("contractive-compression"):
        return
    for d in (2, 3, 8, 32):
        problem = Quadratic(np.ones((2 * d, d)), np.vstack([np.ones((d, d)), -d * np.eye(d)]))
        for step in (1.0, 0.3):
            yield Instance(
                "sparse", problem, rounds=_MOST_ROUNDS, x0=np.zeros(d), step=step, options={"keep": 1}
            )


def _absent(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone, of clients that are all present in one round and absent in the next ones."""
    if not (theorem.assumes("bounded-absence") and theorem.assumes("bounded-noise")):
        return
    bowl = Quadratic([1.0] * 2, np.zeros((2, 1)), noise=1.0)
    for absent in (1, 3, 15, 127):
        for step in (1.0, 0.03):
            schedule = [[0, 1], *[[]] * absent]
            yield Instance("absent clients", bowl, schedule=schedule, rounds=3072, x0=np.zeros(1), step=step)


def _outer(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone under outer steps with and without momentum, and one of two clients a round."""
    if theorem.algorithm != "fedavgm":
        return
    if not theorem.assumes("alike-clients"):
        plain = {"server_momentum": 0.0, "nesterov": 0}
        for server in (9.99, 0.4):  # times eta L = 1/10, the longest and short server steps
            for e, present, noise in ((0.0, 1.0, 1.0), (1.0, 0.5, 0.0)):
                pair = Quadratic([1.0] * 2, [[e], [-e]], noise=noise)
                plan = Instance("outer steps", pair, present=present, eta_s=server, eta=0.1, rounds=3000)
                yield replace(plan, x0=np.zeros(1), options=plain)
        return
    for momentum, nesterov, server, clients in (
        (0.0, 0, 1.0, 2),
        (0.0, 0, 1.0, 32),
        (0.0, 0, 20.0, 2),
        (0.0, 0, 0.05, 2),
        (0.02, 0, 0.98, 2),
        (0.1, 0, 0.9, 2),
        (0.1, 1, 0.9, 2),
        (0.2, 0, 0.8, 2),
        (0.5, 0, 0.5, 2),
        (0.5, 1, 0.5, 2),
        (0.9, 0, 1.0, 2),
        (0.99, 0, 0.05, 2),
    ):
        bowl = Quadratic([1.0] * clients, np.zeros((clients, 1)), noise=1.0)
        options = {"server_momentum": momentum, "nesterov": nesterov}
        yield Instance("outer steps", bowl, eta_s=server, rounds=3000, x0=np.zeros(1), options=options)


def _near(theorem: Theorem) -> Iterator[Instance]:
    """Two clients of nearly equal curvature, from the optimum: one round of two steps attains the drift.

    And two of one Hessian at the optimum, but of third derivatives that do not cancel.
    """
    if delta_hess not in theorem.quantities:
        return
    if third in theorem.quantities:
        slopes = np.array([0.9, -0.2])  # over the curvatures far away
        curvatures = (1 - slopes[0] ** 2) / (1 - slopes**2)
        weights = 1 / np.abs(curvatures * slopes)
        bent = LogCosh(curvatures, np.arctanh(slopes)[:, None], weights / weights.sum())
        for tau, step in ((30, 0.03), (300, 0.003)):
            yield Instance("third derivatives", bent, tau, rounds=30, x0=np.zeros(1), step=step)
    for mu in (0.5, 0.8, 0.98):
        line = Quadratic([1.0, mu], [[1.0], [-1.0 / mu]])
        for tau, step in ((2, 1.0), (16, 0.02)):
            yield Instance("near curvatures", line, tau, rounds=4, x0=line.centre, step=step)


def _apart(theorem: Theorem) -> Iterator[Instance]:
    """Noise alone, and two clients of nearly opposite curvature, on slow and fast networks."""
    if not theorem.assumes("gossip"):
        return
    for clients in (2, 8):
        bowl = Quadratic([1.0] * clients, np.zeros((clients, 1)), noise=1.0)
        yield Instance("noise", bowl, rounds=_MOST_ROUNDS, x0=np.zeros(1), options={"mixing": 0.0})
    line = Quadratic([1.0, -0.8], [[1.0], [-1.0]])
    for mixing, tau, rounds in ((0.0, 2, 1500), (0.5, 1, 1500), (0.5, 16, 200), (0.9, 1, 1500)):
        plan = Instance("apart", line, tau, rounds=rounds, x0=line.centre, step=0.1)
        yield replace(plan, options={"mixing": mixing})


def _old(theorem: Theorem) -> Iterator[Instance]:
    """Homogeneous noisy clients at the optimum with small steps, where staleness costs less than noise."""
    if theorem.algorithm != "fedawe" or theorem.claim.observable == "consensus":
        return
    bowl = Quadratic([1.0] * 2, np.zeros((2, 1)), noise=1.0)
    participation = {
        "kind": "bernoulli",
        "probabilities": [1.0, 1.0],
    }  # full participation, so that moments are exact
    yield Instance("noise", bowl, participation=participation, rounds=10_000, x0=np.zeros(1), step=0.05)
