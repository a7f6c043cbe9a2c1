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


def _huber_on_a_line(problem: Problem) -> Huber | None:
    """The problem, if it has equally weighted Huber losses on a line whose client 1 has a left end only."""
    if not isinstance(problem, Huber) or problem.d != 1 or not problem.equal_weights:
        return None
    return problem if np.isfinite(problem.a[0, 0]) and np.isinf(problem.b[0, 0]) else None


def _one_piecewise_client(theorem: Theorem, run: Run) -> str:
    problem = _huber_on_a_line(run.problem)
    if problem is None or problem.m < 2 or run.tau is None:
        return "it needs Huber losses on a line, the first with a left end only"
    mu, L = problem.floor, float(problem.h[0, 0])
    if not _close(problem.h[1:], mu, L) or np.ptp(problem.e[1:]):
        return "it needs all clients but the first to be one quadratic of curvature mu"
    first, other = problem.client_gradients(run.x0)[:2, 0]
    knee = float(problem.e[0, 0] - problem.a[0, 0] - run.x0[0])
    if not _close(knee, _knee(-first, L, run.eta, run.tau), knee):
        return "it needs the curvature of client 1 to rise after a third of its local steps"
    expected = _balancing_slope(-first, mu, L, run.eta, run.tau, problem.m)
    return "" if _close(other, expected, other) else "it needs a start at the fixed point of FedAvg"


def _knee(slope: float, L: float, eta: float, tau: int) -> float:
    """A third of the way that the local steps of client 1 make at least; 0 where they turn back."""
    return max(1 - eta * L * (tau - 1) / 2, 0) * eta * slope * (tau - 1) / 3


def _balancing_slope(slope: float, mu: float, L: float, eta: float, tau: int, m: int) -> float:
    """The slope of the other clients at the start for which the updates of a round cancel."""
    knee, y = _knee(slope, L, eta, tau), 0.0
    for _ in range(tau):
        y += eta * (slope - mu * y - (L - mu) * max(y - knee, 0.0))
    return float(y * mu / ((m - 1) * -np.expm1(tau * np.log1p(-eta * mu))))


def _rare_jumps(theorem: Theorem, run: Run) -> str:
    problem = _huber_on_a_line(run.problem)
    if problem is None or not problem.homogeneous or run.tau is None or run.tau < 2:
        return "it needs one Huber loss of all clients on a line, with a left end only, and local steps"
    L, mu, sigma = float(problem.h[0, 0]), problem.floor, problem.noise
    if (mu > 0) != theorem.assumes("strongly-convex"):
        return "it needs a Huber loss with tails of curvature mu, or straight ones where it is merely convex"
    probability, jump, end = _jumps(L, mu, sigma, run.eta, run.tau)
    if not sigma or not _close(problem.jump, probability, probability):
        return f"it needs noise that jumps with probability {probability:.6g}"
    a, start = float(problem.a[0, 0]), float(problem.e[0, 0] - problem.a[0, 0] - run.x0[0])
    same = _close(a, end, end) and _close(start, jump / 2, jump)
    return "" if same else "it needs a start half a jump from where the curvature rises"


def _jumps(L: float, mu: float, sigma: float, eta: float, tau: int) -> tuple[float, float, float]:
    """The probability of a jump, its length, and how far before the optimum the curvature rises."""
    b = eta * L * (tau - 1)
    left = L * (1 - b / 2) - 8 * mu
    p = (2 * mu / left if left > 4 * mu else 0.5) / (tau - 1) if mu else eta * L / 8
    u = eta * sigma * ((1 - p) / p) ** 0.5
    return p, u, (mu / L) ** 2 * u / 4 if mu else p * u * (tau - 1) * (1 - 7 * b / 8) / 4


def _huber_with_linear_terms(theorem: Theorem, run: Run) -> str:
    problem = run.problem
    present = run.participation.size(0)
    if not isinstance(problem, Huber) or problem.d != 1 or not problem.equal_weights or problem.floor:
        return "it needs Huber losses on a line"
    if present is None:
        return "it needs a fixed number of clients in a round"
    alike = (problem.h, problem.e, problem.a, problem.b, np.abs(problem.l))
    if any((each != each[0]).any() for each in alike) or problem.a[0, 0] != problem.b[0, 0]:
        return "it needs one Huber loss of all clients, and linear terms that are opposite for half of them"
    if problem.noise and problem.noise_json != problem.noise:
        return "it needs Gaussian noise"
    L, sigma_g = float(problem.h[0, 0]), float(np.abs(problem.l).max())
    slope = _small_slope(L, problem.noise, sigma_g, problem.m, present, run.eta_s * run.eta, run.rounds)
    end = float(problem.a[0, 0])
    if not _close(L * end, slope, slope):
        return f"it needs Huber losses whose slopes are {slope:.6g}, and that of the run is {L * end:.6g}"
    return "" if _close(run.x0, problem.e[0], end) else "it needs a start at the optimum"


def _small_slope(L: float, sigma: float, sigma_g: float, m: int, present: int, s: float, T: int) -> float:
    """The slope of the Huber loss that loses least in T rounds."""
    U = sigma**2 / present + 2 * (m - present) * sigma_g**2 / (present * (m - 1))
    return float(np.sqrt(U * np.sqrt(3 * s * L / T)))


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


def _piecewise(name: str, m: int, L: float, mu: float, tau: int, length: float, eta_s: float) -> Instance:
    """One client of curvature mu, then L, and m - 1 of curvature mu."""
    eta = length / (L * tau)
    knee, slope = _knee(1.0, L, eta, tau), _balancing_slope(1.0, mu, L, eta, tau, m)
    end = (1 - mu * knee) / L
    e = [[knee + end], *[[-slope / mu]] * (m - 1)]
    problem = Huber([L, *[mu] * (m - 1)], [end, *[None] * (m - 1)], None, e, floor=mu)
    return Instance(name, problem, tau, rounds=10, eta=eta, eta_s=eta_s, x0=[0.0])


def jumping_instance(
    name: str, m: int, L: float, mu: float, tau: int, length: float, rounds: int
) -> Instance:
    """Homogeneous clients with noise of deviation 1 that jumps past the point where the curvature rises."""
    eta = length / (L * tau)
    p, u, end = _jumps(L, mu, 1.0, eta, tau)
    problem = Huber([L] * m, [end] * m, None, [[u / 2 + end]] * m, floor=mu, noise=1.0).with_jumps(p)
    return Instance(name, problem, tau, rounds=rounds, eta=eta, x0=[0.0])


def _with_linear_terms(
    name: str, clients: tuple[int, int], sigma: float, sigma_g: float, s: float, eta_s: float, rounds: int
) -> Instance:
    """One Huber loss of small slope, and linear terms: of ``clients`` so many, and so many in a round."""
    L, (m, present) = 2.0, clients
    end = _small_slope(L, sigma, sigma_g, m, present, s / L, rounds) / L
    linear = np.repeat([[sigma_g], [-sigma_g]], m // 2, axis=0)
    problem = Huber([L] * m, [end] * m, [end] * m, np.zeros((m, 1)), noise=sigma, linear=linear)
    return Instance(name, problem, 1, present / m, eta_s, rounds=rounds, eta=s / (L * eta_s), x0=[0.0])


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
        _opposite("long rounds", 1.0, 20, 0.8),
    ],
    vocabulary.ONE_STIFF_CLIENT.name: lambda: [
        _stiff("two clients", 2, 1.0, 0.5, 3, 0.1),
        _stiff("many flat clients", 201, 1.0, 1e-5, 50, 0.02),
        _stiff("L/mu clients", 101, 2.0, 0.02, 100, 0.05),
        _stiff("long rounds", 9, 1.0, 0.1, 20, 2.5),
    ],
    vocabulary.ONE_PIECEWISE_CLIENT.name: lambda: [
        _piecewise("few clients", 4, 1.0, 0.2, 5, 0.3, 1.0),
        _piecewise("2 L/(3 mu) clients, short rounds of many steps", 200, 1.0, 1 / 300, 1000, 0.01, 1.0),
        _piecewise("more clients", 60, 2.0, 0.1, 20, 0.1, 0.5),
        _piecewise("long rounds", 14, 1.0, 0.05, 30, 0.9, 1.0),
    ],
    vocabulary.HUBER_WITH_LINEAR_TERMS.name: lambda: [
        _with_linear_terms("noise of one client", (2, 1), 1.0, 0.0, 0.25, 1.0, 2000),
        _with_linear_terms("one of two clients, a shorter run", (2, 1), 0.0, 1.0, 0.25, 1.0, 700),
        _with_linear_terms("noise and sampling", (8, 2), 1.0, 2.0, 0.2, 0.5, 2000),
        _with_linear_terms("nearly all clients", (4, 3), 0.1, 3.0, 0.25, 2.0, 1500),
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
        for length in (1e-3, 0.99, 1.5, 3.0, 5.5, 9.0)
    ),
    vocabulary.ONE_PIECEWISE_CLIENT.name: lambda: (
        _piecewise("longer rounds", m, 1.0, mu, tau, length, 1.0)
        for m, mu in ((4, 0.2), (667, 1e-3), (1000, 0.2))
        for tau in (2, 20, 200)
        for length in (1e-3, 0.99, 1.3, 1.6, 1.749, 1.9, 3.5)
    ),
    vocabulary.HUBER_WITH_LINEAR_TERMS.name: lambda: (
        _with_linear_terms("a shorter run", (2, present), sigma, 1.0 - sigma, s, eta_s, rounds)
        for present, sigma in ((2, 1.0), (1, 0.0))
        for s, eta_s, rounds in (
            (0.25, 1.0, 1), (0.05, 1.0, 100), (0.05, 1e3, 100), (0.05, 1e-3, 200), (0.05, 1.0, 1000),
            (0.5, 1.0, 400), (2.5, 1.0, 400),
        )
    ),
    vocabulary.SHARED_CURVATURE.name: lambda: (
        _shared("one cause", noise, present, tau, length / (2 * tau), eta_s, rounds, start)
        for noise, present, start in ((1.0, 1.0, _AT_REST), (0.0, 0.25, _AT_REST), (0.0, 1.0, (1.0, 0.0)))
        for tau, length, eta_s in (
            (1, 1e-3, 1.0), (16, 1e-3, 1.0), (16, 0.9, 1.0), (16, 0.9, 1e-3), (3, 1.8, 0.5), (1, 1.0, 1.9),
            (2, 0.9, 2.1), (4, 8.0, 0.1), (16, 1.9, 1e-3), (16, 3.9, 1e-3), (1000, 2.0, 1e-5),
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
    if theorem.assumes(vocabulary.RARE_JUMPS.name):
        curved = theorem.assumes("strongly-convex")
        return [
            jumping_instance("three steps", 800 if curved else 150, 1.0, 0.02 * curved, 3, 0.25, 2),
            jumping_instance("many steps", 800, 2.0, 0.02 * curved, 30, 0.2, 2),
            jumping_instance("hundreds of clients", 400, 1.0, 0.02 * curved, 4, 0.25 if curved else 0.8, 2),
            jumping_instance("long rounds", 800, 1.0, 0.025 * curved, 4, 1.4 if curved else 0.25, 10),
        ]
    return next((make() for name, make in _INSTANCES.items() if theorem.assumes(name)), None)


FAMILY = Family(
    assumptions={
        vocabulary.OPPOSITE_CURVATURES: AssumptionRule(_opposite_curvatures),
        vocabulary.ONE_STIFF_CLIENT: AssumptionRule(_one_stiff_client),
        vocabulary.ONE_PIECEWISE_CLIENT: AssumptionRule(_one_piecewise_client),
        vocabulary.RARE_JUMPS: AssumptionRule(_rare_jumps),
        vocabulary.HUBER_WITH_LINEAR_TERMS: AssumptionRule(_huber_with_linear_terms),
        vocabulary.CONSTANT_SLOPE: AssumptionRule(_constant_slope),
        vocabulary.SHARED_CURVATURE: AssumptionRule(_shared_curvature),
    },
    instances=default_instances,
)
