"""Lower bounds of FedAvg: the instances of their proofs, on which one or two causes of error are exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from boundkit.algebra import Theorem, vocabulary
from boundkit.simulation.arrays import Array
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Huber, Problem, Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.verification.family import AssumptionRule, Family
from boundkit.verification.instance import Instance

_SAME = 1e-9
"""Relative difference of two numbers of an instance that is rounding."""


def _on_a_line(problem: Problem) -> Quadratic | None:
    """The problem, if it has equally weighted quadratics on a line."""
    quadratic = isinstance(problem, Quadratic) and problem.d == 1 and problem.equal_weights
    return problem if quadratic else None  # type: ignore[return-value]


def _close(x: Array | float, y: Array | float, scale: float) -> bool:
    return bool(np.all(np.abs(np.asarray(x) - y) <= _SAME * scale))


def _starts_at_fixed_point(run: Run) -> bool:
    point, e = fixed_point(run).points[0], run.problem.e  # type: ignore[attr-defined]
    return _close(run.x0, point, float(np.ptp(e)) + float(np.abs(point).max()))


def _opposite_curvatures(theorem: Theorem, run: Run) -> str:
    problem = _on_a_line(run.problem)
    if problem is None or problem.m != 2 or run.tau is None:
        return "it needs two quadratic clients on a line"
    first, second = np.ravel(problem.H)
    if not _close(second, -(1 - run.eta * first * run.tau) * first, first):
        return "it needs curvatures L and -(1 - eta L tau) L, and the run has others"
    return "" if _starts_at_fixed_point(run) else "it needs a start at the fixed point of FedAvg"


def _one_stiff_client(theorem: Theorem, run: Run) -> str:
    problem = _on_a_line(run.problem)
    if problem is None or problem.m < 2:
        return "it needs quadratic clients on a line"
    H, e = np.ravel(problem.H), problem.e[1:]
    if H[0] < H[1] or not _close(H[1:], H[1], H[0]) or not _close(e, e[0], float(np.ptp(problem.e)) + 1):
        return "it needs one client of curvature L and all others equal, and the run has other clients"
    return "" if _starts_at_fixed_point(run) else "it needs a start at the fixed point of FedAvg"


def _constant_slope(theorem: Theorem, run: Run) -> str:
    problem = run.problem
    if not isinstance(problem, Huber) or problem.d != 1 or run.tau is None:
        return "it needs a Huber loss on a line"
    end, L = float(problem.b[0, 0]), float(problem.h[0, 0])
    if problem.floor or not np.isfinite(end):
        return "it needs a Huber loss with a linear part"
    start = float(run.x0[0] - problem.e[0, 0])
    length = end + (run.rounds - 1) * run.eta_s * run.eta * run.tau * L * end
    return "" if _close(start, length, start) else "it needs a run that leaves the linear part at x_(T-1)"


def _shared_curvature(theorem: Theorem, run: Run) -> str:
    problem = run.problem
    if not isinstance(problem, Quadratic) or not problem.diagonal:
        return "it needs quadratics of one curvature"
    return "" if np.ptp(problem.H) == 0 else "it needs quadratics of one curvature, and the run has several"


def _at_fixed_point(name: str, problem: Quadratic, eta: float, tau: int, **fields: float) -> Instance:
    run = make_run("fedavg", problem, rounds=1, eta=eta, local_steps=tau, **fields)
    start = fixed_point(run).points[0]
    return Instance(name, problem, tau, rounds=30, eta=eta, x0=start, **fields)  # type: ignore[arg-type]


def _opposite(name: str, L: float, tau: int, length: float, eta_s: float = 1.0) -> Instance:
    """Two clients of opposite curvature, with ``length`` = eta L tau."""
    problem = Quadratic([L, -(1 - length) * L], [[1.0], [-1.0]])
    return _at_fixed_point(name, problem, length / (L * tau), tau, eta_s=eta_s)


def _stiff(name: str, m: int, L: float, mu: float, tau: int, length: float) -> Instance:
    """One client of curvature L and m - 1 of curvature mu."""
    problem = Quadratic([L, *[mu] * (m - 1)], [[1.0], *[[-1.0]] * (m - 1)])
    return _at_fixed_point(name, problem, length / (L * tau), tau)


def _slope(name: str, L: float, slope: float, tau: int, rounds: int, eta: float, eta_s: float) -> Instance:
    """Two homogeneous clients whose slope is constant until their last round but one."""
    end = slope / L
    start = end + (rounds - 1) * eta_s * eta * tau * slope
    problem = Huber([L, L], None, [end, end], [[0.0], [0.0]])
    return Instance(name, problem, tau, rounds=rounds, eta=eta, eta_s=eta_s, x0=[start])


def _shared(
    name: str,
    noise: float,
    present: float,
    tau: int,
    eta: float,
    eta_s: float,
    rounds: int = 60,
    start: tuple[float, float] = (0.2, 0.1),
) -> Instance:
    """Four clients of one curvature."""
    e = [[1.0, 0.0], [-1.0, 2.0], [0.5, -2.0], [-0.5, 0.0]]
    problem = Quadratic([2.0] * 4, e, noise=noise)
    return Instance(name, problem, tau, present, eta_s, rounds=rounds, eta=eta, x0=list(start))


_INSTANCES: dict[str, Callable[[], list[Instance]]] = {
    vocabulary.OPPOSITE_CURVATURES.name: lambda: [
        _opposite("two steps, short rounds", 1.0, 2, 0.01),
        _opposite("many steps, short rounds", 3.0, 1000, 0.01),
        _opposite("rounds as long as a proof allows", 1.0, 100, 0.125, 0.5),
        _opposite("long rounds", 1.0, 20, 0.4),
    ],
    vocabulary.ONE_STIFF_CLIENT.name: lambda: [
        _stiff("two clients", 2, 1.0, 0.5, 3, 0.1),
        _stiff("many flat clients", 201, 1.0, 1e-5, 50, 0.02),
        _stiff("L/mu clients", 101, 2.0, 0.02, 100, 0.05),
        _stiff("long rounds", 9, 1.0, 0.1, 20, 0.9),
    ],
    vocabulary.CONSTANT_SLOPE.name: lambda: [
        _slope("one round", 1.0, 0.5, 3, 1, 0.05, 1.0),
        _slope("many rounds", 2.0, 0.1, 10, 200, 0.004, 1.0),
        _slope("a large server step", 1.0, 1.0, 5, 50, 0.02, 3.0),
    ],
    vocabulary.SHARED_CURVATURE.name: lambda: [
        _shared("noise and sampling", 1.0, 0.5, 5, 0.01, 0.5),
        _shared("noise of all clients", 1.0, 1.0, 5, 0.05, 1.0),
        _shared("sampling alone", 0.0, 0.25, 10, 0.02, 1.0),
        _shared("neither", 0.0, 1.0, 2, 0.1, 0.5),
    ],
}

_AT_REST = (0.0, 0.0)
_FURTHER: dict[str, Callable[[], Iterator[Instance]]] = {
    vocabulary.OPPOSITE_CURVATURES.name: lambda: (
        _opposite("longer rounds", 1.0, tau, length)
        for tau in (2, 3, 200)
        for length in (1e-3, 0.5, 0.99, 1.5, 1.99, 3.0, 9.0)
    ),
    vocabulary.ONE_STIFF_CLIENT.name: lambda: (
        _stiff("longer rounds", m, 1.0, mu, tau, length)
        for m, mu in ((2, 0.01), (2, 0.5), (101, 0.5), (101, 0.01))
        for tau in (2, 200)
        for length in (1e-3, 0.99, 1.5, 3.0, 9.0)
    ),
    vocabulary.SHARED_CURVATURE.name: lambda: (
        _shared("one cause", noise, present, tau, length / (2 * tau), eta_s, rounds, start)
        for noise, present, start in ((1.0, 1.0, _AT_REST), (0.0, 0.25, _AT_REST), (0.0, 1.0, (1.0, 0.0)))
        for tau, length, eta_s in (
            (1, 1e-3, 1.0), (16, 1e-3, 1.0), (16, 0.9, 1.0), (16, 0.9, 1e-3), (3, 1.8, 0.5), (1, 1.0, 1.9),
            (2, 0.9, 2.1), (4, 8.0, 0.1),
        )
        for rounds in (1, 60)
    ),
}  # fmt: skip


def further_instances(theorem: Theorem) -> Iterator[Instance]:
    """Yield the instances of the proof, with one cause alone, within its step-size conditions and beyond."""
    for name, make in _FURTHER.items():
        if theorem.assumes(name):
            yield from make()


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """The instances of the proof, for short and long rounds."""
    return next((make() for name, make in _INSTANCES.items() if theorem.assumes(name)), None)


FAMILY = Family(
    assumptions={
        vocabulary.OPPOSITE_CURVATURES: AssumptionRule(_opposite_curvatures),
        vocabulary.ONE_STIFF_CLIENT: AssumptionRule(_one_stiff_client),
        vocabulary.CONSTANT_SLOPE: AssumptionRule(_constant_slope),
        vocabulary.SHARED_CURVATURE: AssumptionRule(_shared_curvature),
    },
    instances=default_instances,
)
