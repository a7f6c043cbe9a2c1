"""Default instances for clients that come and go: seldom ones, learnt and fixed weights, long absences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.simulation.participation.normalised_weights_independent import mean_share
from boundkit.simulation.problems import Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.verification.assumed.rule import Plan

_SEVERAL = np.array([1.0, 0.9, 0.7, 0.5, 0.4, 0.3, 0.25, 0.2])
_CUTOFF = 6


def designs(theorem: Theorem) -> Sequence[Plan]:
    """The plans of a theorem on clients that come and go."""
    if theorem.claim.summary == "limit":
        return biased(theorem)
    if theorem.assumes("bounded-absence"):
        return away(theorem)
    if theorem.algorithm == "fedawe":
        return tuned(theorem) if theorem.rules else echoed(theorem)
    return weighed(theorem)


def coming(q: Any, **more: Any) -> dict[str, Any]:
    """Clients that come with these chances."""
    listed = q if isinstance(q, float) else [float(v) for v in q]
    return {"kind": "bernoulli", "probabilities": listed, **more}


def server(theorem: Theorem, q: Array, omega: Array | None = None, cutoff: int = _CUTOFF) -> dict[str, Any]:
    """The options of the server that the theorem speaks of; weights are right where none are given."""
    if theorem.assumes("fixed-weights"):
        return {"weights": [float(v) for v in (1 / q if omega is None else omega)]}
    if theorem.assumes("interval-weights"):
        return {"cutoff": cutoff}
    if theorem.assumes("known-availability"):
        return {"aggregation": "known", "probabilities": [float(v) for v in q]}
    return {"aggregation": "mean" if theorem.assumes("average-over-present") else "all"}


def minimised(theorem: Theorem, q: Array, omega: Array | None = None, cutoff: int = _CUTOFF) -> Array:
    """The weights of what that server minimises."""
    if theorem.assumes("known-availability"):
        return np.full(len(q), 1 / len(q))
    options = server(theorem, q, omega, cutoff)
    if "weights" in options:
        mass = q * options["weights"]
    elif "cutoff" in options:
        mass = 1 - (1 - q) ** options["cutoff"]
    else:
        mass = mean_share(q) if options["aggregation"] == "mean" else q
    return np.asarray(mass / mass.sum())


def bent(w: Array, seed: int, noise: float, d: int = 3) -> SmoothNonconvex:
    """Losses that are not convex, whose tilts cancel in the plain mean and in that by w."""
    tilts = np.random.default_rng(seed).standard_normal((len(w), d))
    both = np.linalg.qr(np.stack([np.ones(len(w)), w], axis=1))[0]
    return SmoothNonconvex(tilts - both @ (both.T @ tilts), noise=noise)


def weighed(theorem: Theorem) -> list[Plan]:
    """Weights that stay, or are learnt: right ones, wrong ones, a client that hardly comes, the floor."""
    many = not theorem.assumes("one-local-step")
    unlike = Quadratic.random(8, 3, seed=2, dense=True, noise=0.5, curvature=(0.2, 1.0))
    alike = Quadratic.random(8, 3, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.2, 1.0))
    still = Quadratic.random(4, 2, seed=3, spread=3.0, shared=True, curvature=(0.3, 1.0))
    hardly = np.array([1.0, 1.0, 1.0, 0.05])
    wrong = 1 / np.sqrt(_SEVERAL)

    def plan(name: str, problem: Any, q: Array, omega: Array | None = None, **more: Any) -> Plan:
        tau = more.pop("tau", 1)
        return Plan(
            name, problem, local_steps=tau if many else 1, participation=coming(q),
            x0=np.full(problem.d, 2.0), options=server(theorem, q, omega), **more,
        )  # fmt: skip

    return [
        plan("seldom clients, noise", unlike, _SEVERAL, tau=8, rounds=200),
        plan("a client that hardly comes, no noise", still, hardly, tau=16, rounds=400),
        plan("not convex, noise", bent(minimised(theorem, _SEVERAL), 4, 0.5), _SEVERAL, tau=4, rounds=80),
        plan("other weights, noise", unlike, _SEVERAL, wrong, tau=8, eta_s=2.0, rounds=200),
        plan("not convex, other weights, no noise", bent(minimised(theorem, _SEVERAL, wrong), 5, 0.0),
             _SEVERAL, wrong, tau=8, rounds=60),
        plan("one local step, on the floor", alike, _SEVERAL, step=0.3, rounds=4000),
        plan("one round", still, hardly, tau=4, rounds=1),
        plan("everybody", unlike, np.ones(8), tau=16, rounds=100),
        plan("alike clients, no error but the start", Quadratic([4.0] * 4, np.zeros((4, 1))), hardly, tau=4,
             rounds=60),
    ]  # fmt: skip


def biased(theorem: Theorem) -> list[Plan]:
    """Where a server settles: two clients, many, seldom ones, and gradients that attain the bound."""
    two, five = np.array([0.9, 0.3]), np.linspace(0.1, 0.9, 5)
    seldom = np.array([0.5, 0.01, 0.2])
    p = None if theorem.assumes("equal-weights") else [0.5, 0.1, 0.1, 0.3]
    four = np.array([0.2, 0.9, 0.4, 0.6])
    dense = Quadratic.random(5, 3, seed=7, dense=True, curvature=(0.2, 1.0))

    def plan(name: str, problem: Quadratic, q: Array, tau: int = 1, cutoff: int = _CUTOFF) -> Plan:
        L = float(np.abs(problem.spectrum).max())
        options = server(theorem, q, cutoff=cutoff)
        return Plan(name, problem, tau, eta=0.1 / (L * tau), rounds=20, participation=coming(q),
                    options=options, x0=np.zeros(problem.d))  # fmt: skip

    weights = np.full(4, 0.25) if p is None else np.array(p)
    w = minimised(theorem, four)
    attained = Quadratic([2.0] * 4, -((weights - w) / w)[:, None] @ np.ones((1, 2)), p)
    return [
        plan("two clients, minima at 0 and 100", Quadratic([1.0] * 2, [[0.0], [100.0]]), two),
        plan("gradients that attain it", attained, four),
        plan("unlike Hessians", dense, five, tau=1),
        plan("unlike Hessians, many steps", dense, five, tau=8),
        plan("a client that hardly comes", Quadratic([1.0, 0.5, 2.0], [[0.0], [5.0], [-1.0]]), seldom, 2, 50),
        plan("unlike weights, noise", Quadratic.random(4, 2, seed=8, spread=2.0, dense=True, noise=1.0)
             if p is None else _with_weights(p), four, tau=3, cutoff=2),
        plan("as often, all of them", dense, np.full(5, 0.4), tau=2),
    ]  # fmt: skip


def _with_weights(p: list[float]) -> Quadratic:
    some = Quadratic.random(4, 2, seed=8, spread=2.0, dense=True)
    return Quadratic(list(some.H), some.e, p, noise=1.0)


def echoed(theorem: Theorem) -> list[Plan]:
    """FedAWE: alike clients to the end, unlike ones, chances that change, everybody on the floor."""
    unlike = Quadratic.random(4, 2, seed=2, dense=True, noise=0.5, curvature=(0.3, 1.0))
    alike = Quadratic.random(4, 2, seed=1, dense=True, shared=True, noise=0.5, curvature=(0.5, 1.0))
    same = Quadratic([4.0] * 4, np.zeros((4, 1)))
    q = np.array([0.9, 0.8, 0.7, 0.95])
    sine, stairs = coming(q, dynamics="sine", period=10), coming(q, dynamics="staircase", period=8)
    tilted = bent(np.full(4, 0.25), 4, 0.5, d=2)

    def plan(name: str, problem: Any, who: Any, tau: int = 2, **more: Any) -> Plan:
        return Plan(name, problem, local_steps=tau, participation=who, x0=np.full(problem.d, 2.0), **more)

    spread = theorem.claim.observable == "scaled_spread"  # none where everybody comes
    plans = [
        plan("alike clients, to the end", same, coming(0.9), 1, rounds=300),
        plan("unlike Hessians, noise", unlike, coming(q), 4, eta_s=2.0, rounds=60),
        plan("everybody, on the floor", alike, coming(1.0), 2, rounds=3000),
        plan("not convex, chances that follow a sine", tilted, sine, rounds=80),
        plan("alike Hessians, chances in stairs", alike, stairs, rounds=80),
        plan("one round", unlike, coming(q), 4, rounds=1),
        plan("seldom clients, a large server step", unlike.quiet(), coming([0.3, 0.5, 0.4, 1.0]), 3,
             eta_s=8.0, rounds=80),
    ]  # fmt: skip
    return [one for one in plans if not (spread and one.name.startswith("everybody"))]


def tuned(theorem: Theorem) -> list[Plan]:
    """FedAWE at steps by the number of rounds, 40000 at least: everybody comes, so that there are moments.

    Absences need more rounds by far, and chance has no moments: a run of those takes minutes.
    """
    alike = Quadratic([4.0] * 2, np.zeros((2, 1)))
    noisy = Quadratic([1.0] * 2, [[1.0], [-1.0]], noise=2.0)

    def plan(name: str, problem: Any, tau: int) -> Plan:
        return Plan(name, problem, tau, participation=coming(1.0), x0=np.full(1, 2.0), rounds=40_000)

    return [plan("everybody, alike", alike, 1), plan("everybody, unlike clients, noise", noisy, 3)]


def away(theorem: Theorem) -> list[Plan]:
    """MIFA: everybody, groups in turn, a client that is long away, irregular and empty rounds."""
    unlike = Quadratic.random(8, 3, seed=2, dense=True, curvature=(0.2, 1.0))
    turns = [[2 * k, 2 * k + 1] for k in range(4)]
    long = [list(range(8))] + [list(range(7))] * 11
    irregular = [[0, 1, 2], [], [3], [0, 7], [4, 5], [], [6, 0, 1], [2, 3]]
    tilted = bent(np.full(8, 1 / 8), 4, 0.0)
    same = Quadratic([4.0] * 8, np.zeros((8, 1)))

    def plan(name: str, problem: Any, schedule: Any, **more: Any) -> Plan:
        return Plan(name, problem, schedule=schedule, x0=np.full(problem.d, 2.0), **more)

    return [
        plan("everybody, alike", same, [list(range(8))], rounds=1, options={"wait": False}),
        plan("groups in turn, unlike Hessians", unlike, turns, rounds=200),
        plan("not convex, irregular and empty rounds", tilted, irregular, rounds=200),
        plan("a client that is long away", unlike, long, rounds=300, options={"wait": False}),
        plan("not convex, everybody", tilted, [list(range(8))], rounds=40),
        plan("alike, groups in turn", same, turns, rounds=20),
        plan("not convex, one at a time", tilted, [[k] for k in range(8)], rounds=400),
        plan("one round after the wait", unlike, turns, rounds=5),
    ]
