"""Instances with a single error source, and the claimed quantity on them, exactly.

Each takes a theorem and the quantities to vary, and returns the claimed quantity with the theorem's
arguments. The step size is small, so that a slope is that of the leading order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines import ExactEngine, StepEngine, exact_engine
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run, make_run
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks.fixed_point import LIMIT_ROUNDS, constants_at_fixed_point, observe_points
from boundkit.verification.claims import add_observables, measure_claim, measure_claim_by_round
from boundkit.verification.constants import compute_constants, measure_constants, theorem_arguments
from boundkit.verification.families import FAMILIES, context_of
from boundkit.verification.instance import Instance

Values = dict[str, tuple[float, ...]]
SWEEP_VALUES: Values = {
    "eta": (1e-6, 3e-6, 1e-5, 3e-5, 1e-4),
    "tau": (16, 32, 64, 128, 256),
    "C": (0.0625, 0.125, 0.25, 0.5, 0.75),
    "m": (4, 8, 16, 32, 64),
    "eta_s": (0.25, 0.5, 1, 2, 4),
}
FEWER_LOCAL_STEPS = (8, 16, 32, 64)
SERVER_STEPS_AT_LEAST_ONE = (1, 2, 4, 8)
CLIENT_STATE_VALUES: Values = {"C": (1 / 12, 1 / 6, 1 / 4), "m": (12, 16)}
"""For algorithms with client state, whose exact moments enumerate the subsets of clients."""
START_UP_VALUES: Values = {"eta": (2e-4, 4e-4, 8e-4), "tau": (8, 16, 32), "T": (1000, 2000, 4000)}
SHORTER_HORIZONS: Values = {"T": (1000, 2000, 4000, 8000)}
INITIAL_GAP_VALUES: Values = {
    "eta": (2.5e-4, 5e-4, 1e-3, 2e-3),
    "tau": (8, 16, 32, 64),
    "T": (4000, 8000, 16000, 32000),
}
ZERO_FLOOR = 1e-18
"""Rounding error of an error floor of 0: a map that contracts by 1e-5 a round is solved to 1e-11, squared."""
NOT_ISOLATED: dict[str, str] = {
    "noise drift": "no quadratic shows it: noise moves a client, "
    "but the mean of affine gradients does not feel it",
    "staleness": "the noise that grows old is that of the updates themselves, "
    "which is felt more when it is new",
    "unavailability": "models of absent clients have no exact moments",
}
"""Why no instance isolates a cause; the sentences of the stored records."""
_SAMPLED_WITHOUT_C = (
    "bernoulli-availability",
    "changing-availability",
    "known-availability",
    "unbiased-sampling",
)
"""Assumptions of random participation, without a fraction C of participating clients."""
_CLIENTS, _ETA, _TAU, _FRACTION = 16, 1e-5, 16, 0.25
_FEW_CLIENTS, _CLIENTS_OF_FRACTIONS = 4, 12
_ROUNDS = 2000
_INITIAL_STATE_ERROR = ("fedvarp", "clusterfedvarp", "scaffold")
"""Algorithms with stored updates or control variates that are wrong until each client has participated."""
_GROUPS, _SIZE = 4, 2


class NotIsolated(BoundkitError):
    """No instance here isolates the cause, because the theorem does not apply to it."""


@dataclass(frozen=True)
class IsolatedPoint:
    """The claimed quantity on an instance, the theorem's arguments, and a round of the instance as a run."""

    measured: float
    values: dict[str, float]
    run: Run | None = None


@dataclass(frozen=True)
class Isolation:
    """The instance that isolates a cause, and the quantities that it can vary.

    ``early``: whether the claimed quantity is that after T rounds, and not the limit of many.
    """

    instance: Callable[..., IsolatedPoint]
    quantities: tuple[str, ...]
    early: bool = False

    def values_of(self, point: IsolatedPoint) -> dict[str, Any]:
        """The arguments of the bound at a point, with T at its limit unless the point is ``early``."""
        return point.values if self.early else point.values | {"T": LIMIT_ROUNDS}


def only_drift(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """Heterogeneous Hessians, no noise, full participation: the exact fixed point."""
    pairs = _clients(theorem, varied) // 2
    H, e = [[1.0, 0.5], [0.25, 1.0]] * pairs, [[1.0, -1.0], [-2.0, 1.0]] * pairs
    run = _run(theorem, Quadratic(H, e), varied | {"C": 1.0})
    return _stationary_point(theorem, run, _observe_fixed_point(run, fixed_point(run).points[0]))


def only_inconsistency(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """One Hessian, no noise, unequal numbers of local steps: the exact fixed point.

    Raises NotIsolated where the theorem does not weight clients by their local steps.
    """
    if not theorem.solvers or theorem.algorithm == "fednova":
        raise NotIsolated(f"unequal local_steps does not change what {theorem.algorithm} minimises.")
    pairs = int(varied.get("m", _CLIENTS)) // 2
    problem = Quadratic([1.0] * 2 * pairs, [[1.0], [-1 / 3]] * pairs)
    run = _run(theorem, problem, varied, local_steps=[2, 6] * pairs)
    return _stationary_point(theorem, run, _observe_fixed_point(run, fixed_point(run).points[0]))


def only_participation(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """One Hessian, no noise, partial participation: the exact stationary moments."""
    m = _clients(theorem, varied)
    e = np.random.default_rng(0).standard_normal((m, 2))
    if keeps_client_state(theorem):
        e = np.tile([1.0, -1.0], m // 2)[:, None]  # neighbours, which form a cluster, differ
    run = _run(theorem, Quadratic([1.0] * m, e), varied)
    return _stationary_point(theorem, run, _exact(run).stationary())


def only_noise(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """Homogeneous clients with noise: the exact stationary moments."""
    m = _clients(theorem, varied)
    e = np.zeros((m, 1 if keeps_client_state(theorem) else 2))
    run = _run(theorem, Quadratic([1.0] * m, e, noise=1.0), varied)
    return _stationary_point(theorem, run, _exact(run).stationary())


def only_compression(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """One Hessian, no noise, all clients, one of two coordinates sent: the exact stationary moments.

    Raises NotIsolated where updates are not compressed at random.
    """
    if not theorem.assumes("unbiased-compression"):
        raise NotIsolated(f"no instance here isolates the noise of the messages of {theorem.algorithm}.")
    e = np.random.default_rng(0).standard_normal((_clients(theorem, varied), 2))
    options = {"compressor": "rand_k"}
    run = _run(theorem, Quadratic([1.0] * len(e), e), varied | {"C": 1.0}, options=options)
    return _stationary_point(theorem, run, _exact(run).stationary())


def only_start(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """Homogeneous clients without noise, after enough rounds to converge: the initial gap alone."""
    horizons = SHORTER_HORIZONS if keeps_client_state(theorem) else INITIAL_GAP_VALUES
    rounds = int(varied.get("T", horizons["T"][0]))
    # a round reduces the distance by a factor 1 - eta tau, between 0.4 % and 3.2 %
    steps = {"tau": _TAU, "eta": INITIAL_GAP_VALUES["eta"][0] * 2} | varied | {"C": 1.0}
    if not takes_local_steps(theorem):
        steps["eta"] *= _TAU
    run = _run(theorem, Quadratic([1.0] * 2, np.zeros((2, 1))), steps, rounds, start=1.0)
    trajectory = _exact(run).trajectory()
    values = theorem_arguments(theorem, run, measure_constants(run, trajectory, theorem))
    return IsolatedPoint(measure_claim(context_of(theorem, run, trajectory)).value, values)


def only_first_errors(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """Start at the optimum, one Hessian, no noise: the error of the initial client state alone.

    Raises NotIsolated where the algorithm has no client state that is wrong at first.
    """
    if theorem.algorithm not in _INITIAL_STATE_ERROR:
        raise NotIsolated(f"no instance here isolates the start-up of {theorem.algorithm}.")
    if theorem.assumes("full-participation"):
        raise NotIsolated("under full participation wrong controls cancel, unless Hessians differ as well.")
    m, rounds = _clients(theorem, varied), int(varied.get("T", _ROUNDS))
    e = np.repeat([1.0, -1.0], m // 2)[:, None]  # neighbours, which form a cluster, are equal
    run = _run(theorem, Quadratic([1.0] * m, e), {"eta": 4e-4} | varied, rounds)
    trajectory = _exact(run).trajectory()
    measured = measure_claim(context_of(theorem, run, trajectory)).value
    return IsolatedPoint(
        measured, theorem_arguments(theorem, run, compute_constants(run, theorem), trajectory)
    )


def only_order(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """One Hessian, no noise, groups of equal clients, all of which participate: the exact cycle.

    Raises NotIsolated where the theorem does not assume cyclic participation.
    """
    if not theorem.assumes("cyclic-participation"):
        raise NotIsolated(f"{theorem.name} does not assume cyclic participation.")
    e = np.repeat(np.random.default_rng(1).standard_normal((_GROUPS, 2)), _SIZE, axis=0)
    tau = int(varied.get("tau", _TAU)) if takes_local_steps(theorem) else 1
    run = _applicable(theorem, make_run(
        theorem.algorithm, Quadratic([1.0] * len(e), e), rounds=_GROUPS, eta=varied.get("eta", _ETA),
        local_steps=tau, participation={"kind": "cyclic", "groups": _GROUPS},
    ))  # fmt: skip
    cycle = fixed_point(run).points
    points = np.vstack([cycle, cycle[:1]])
    return _last_point(theorem, run, points, observe_points(run, points))


def only_selection(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """Two clients with one curvature and unequal weights, the larger loss selected, one step, no noise.

    The losses are equal away from the optimum; from there on the model stays within eta of that point.
    Raises NotIsolated where the theorem does not assume biased selection.
    """
    if not theorem.assumes("biased-selection"):
        raise NotIsolated(f"{theorem.name} does not assume a selection by losses.")
    run = _applicable(theorem, make_run(
        theorem.algorithm, Quadratic([1.0, 1.0], [[-1.0], [1.0]], [0.7, 0.3]), rounds=20,
        eta=varied.get("eta", _ETA), participation={"kind": "power_of_choice", "count": 1, "d": 2},
        options={"aggregation": "mean"},
    ))  # fmt: skip
    points = StepEngine(run).trajectory().x
    return _last_point(theorem, run, points, observe_points(run, points))


def only_heterogeneity(theorem: Theorem, **varied: float) -> IsolatedPoint:
    """One Hessian, no noise, one step, four of sixteen clients sampled: the exact stationary moments.

    There is neither drift nor bias; Gamma bounds the effect of the sampling. Raises NotIsolated where the
    theorem does not assume biased selection.
    """
    if not theorem.assumes("biased-selection"):
        raise NotIsolated(f"{theorem.name} has no term of heterogeneity apart from the drift.")
    e = np.random.default_rng(0).standard_normal((16, 2))
    run = _applicable(theorem, make_run(
        theorem.algorithm, Quadratic([1.0] * 16, e), rounds=1, eta=varied.get("eta", _ETA),
        participation={"kind": "uniform", "C": 0.25},
    ))  # fmt: skip
    moments = {name: np.full(2, value) for name, value in ExactEngine(run).stationary().items()}
    return _last_point(theorem, run, np.stack([run.x0] * 2), moments)


ISOLATED: dict[str, Isolation] = {
    "client drift": Isolation(only_drift, ("eta", "tau", "m", "eta_s")),
    "partial participation": Isolation(only_participation, ("eta", "tau", "C", "m", "eta_s")),
    "objective inconsistency": Isolation(only_inconsistency, ("eta", "m")),
    "stochastic noise": Isolation(only_noise, ("eta", "tau", "C", "m", "eta_s")),
    "message noise": Isolation(only_compression, ("eta", "tau", "m", "eta_s")),
    "initial gap": Isolation(only_start, ("eta", "tau", "T"), early=True),
    "start-up": Isolation(only_first_errors, ("eta", "tau", "T"), early=True),
    "cyclic order": Isolation(only_order, ("eta", "tau")),
    "selection bias": Isolation(only_selection, ("eta",)),
    "heterogeneity": Isolation(only_heterogeneity, ("eta",)),
}
"""The isolation of each cause, or of a term by its own name."""


def geometric_decay(theorem: Theorem) -> tuple[Array, Array, dict[str, float]]:
    """Rounds, the claimed quantity after each, and the arguments, for homogeneous clients without noise."""
    problem = Quadratic([[1.0, 0.2]] * 2, np.zeros((2, 2)))
    run = _run(theorem, problem, {"eta": 1e-3, "C": 1.0}, 200, 1.0)
    trajectory = _exact(run).trajectory()
    values = theorem_arguments(theorem, run, measure_constants(run, trajectory, theorem))
    measured = measure_claim_by_round(context_of(theorem, run, trajectory))[0]
    return np.arange(1.0, run.rounds + 1), measured, values


def keeps_client_state(theorem: Theorem) -> bool:
    """Whether the algorithm has client state."""
    return not algorithm(theorem.algorithm).stateless


def takes_local_steps(theorem: Theorem) -> bool:
    """Whether clients may take many local steps: the theorem has tau, or defines quantities by tau_i."""
    many = bool(theorem.solvers) or "tau" in {q.name for q in theorem.quantities}
    return many and not theorem.assumes("one-local-step")


def _clients(theorem: Theorem, varied: dict[str, float]) -> int:
    few = _CLIENTS_OF_FRACTIONS if "C" in varied else _FEW_CLIENTS
    return int(varied.get("m", few if keeps_client_state(theorem) else _CLIENTS))


def _exact(run: Run) -> Any:
    return exact_engine(run, must=True)


def _run(
    theorem: Theorem,
    problem: Quadratic,
    varied: dict[str, Any],
    rounds: int = 1,
    start: float = 0.0,
    local_steps: list[int] | None = None,
    options: dict[str, Any] | None = None,
) -> Run:
    partial = "C" in {q.name for q in theorem.quantities} or any(map(theorem.assumes, _SAMPLED_WITHOUT_C))
    tau = int(varied.get("tau", _TAU)) if takes_local_steps(theorem) else 1
    instance = Instance(
        "one cause",
        problem,
        local_steps=tau if local_steps is None else local_steps,
        present=varied.get("C", _FRACTION) if partial else 1.0,
        eta_s=varied.get("eta_s", 1.0),
        rounds=rounds,
        eta=varied.get("eta", _ETA),
        x0=np.full(problem.d, start),
        options=options or {},
    )
    run = _arranged(theorem, instance).run(theorem.algorithm, instance.eta)
    return _applicable(theorem, run if options else replace(run, algorithm=run.algorithm.noiseless))


def _arranged(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with the participation and aggregation of the theorem, on the same problem."""
    for rule in FAMILIES.rules_of(theorem):
        if rule.arrange is not None:
            arranged = rule.arrange(theorem, instance) or instance
            instance = replace(arranged, problem=instance.problem, eta=instance.eta)
    return instance


def _applicable(theorem: Theorem, run: Run) -> Run:
    """The run with the theorem's observables. Raises NotIsolated where the theorem does not apply to it."""
    run = add_observables(theorem, run)
    reasons = reasons_not_applicable(theorem, run)
    if reasons:
        raise NotIsolated(f"the theorem does not apply to the isolating instance: {'; '.join(reasons)}.")
    return run


def _observe_fixed_point(run: Run, x: Array) -> dict[str, float]:
    """Every observable of the run at a fixed point."""
    observed = dict(run.problem.observe(x))
    if run.observes_local_steps or run.local_spread:
        observed |= {
            n: v[0, 0] for n, v in StepEngine(replace(run, x0=x, rounds=1)).trajectory().observed.items()
        }
    for prefix, objective in run.objectives.items():
        observed |= {f"{prefix}_{name}": value for name, value in objective.observe(x).items()}
    return {name: float(value) for name, value in observed.items()}


def _stationary_point(theorem: Theorem, run: Run, observed: dict[str, float]) -> IsolatedPoint:
    series = {name: np.full(2, value) for name, value in observed.items()}
    available = compute_constants(run, theorem)
    constants = constants_at_fixed_point(theorem, run, np.stack([run.x0] * 2), series, available)
    dissimilarity = observed[f"{context_of(theorem, run).prefix}dissimilarity"]
    dissimilarity = observed.get("local_spread", dissimilarity)
    constants.setdefault("sigma_g", Constant(max(dissimilarity, 0.0) ** 0.5, "local", "in the limit"))
    return IsolatedPoint(
        _claimed_value(theorem, run, observed), theorem_arguments(theorem, run, constants), run
    )


def _claimed_value(theorem: Theorem, run: Run, observed: dict[str, float]) -> float:
    """The claimed quantity; of a deterministic run a norm is the root of its square."""
    name = theorem.claim.observable
    square = {"distance": "distance_squared", "gradient_norm": "gradient_norm_squared"}.get(name)
    if square is None and name not in observed:
        raise NotIsolated(f"the {name.replace('_', ' ')} is not observed at a fixed point.")
    if square is None:
        return observed[name]
    if run.random:
        raise NotIsolated(f"the {name.replace('_', ' ')} of a random run is not a moment.")
    return float(observed[square] ** 0.5) if observed[square] > ZERO_FLOOR else 0.0


def _last_point(theorem: Theorem, run: Run, points: Array, observed: dict[str, Array]) -> IsolatedPoint:
    """The claimed quantity at the last of the points, with the arguments there."""
    constants = constants_at_fixed_point(theorem, run, points, observed, compute_constants(run, theorem))
    values = theorem_arguments(theorem, run, constants) | {"T": LIMIT_ROUNDS}
    return IsolatedPoint(float(observed[theorem.claim.observable][-1]), values)
