"""Instances with a single error source, and the claimed quantity on them, exactly.

Each takes a theorem and the quantities to vary, and returns the claimed quantity with the
theorem's arguments. The step size is small, so that a slope is that of the leading order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.constant import Constant
from boundkit.simulation.engines import Step, exact_engine
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Array
from boundkit.verification.applicability import reasons_not_applicable
from boundkit.verification.checks.stationary_constants import constants_at_fixed_point
from boundkit.verification.claims import add_observables, measure_claim, measure_claim_by_round
from boundkit.verification.constants import compute_constants, measure_constants, theorem_arguments
from boundkit.verification.families import FAMILIES, context_of
from boundkit.verification.instance import Instance

SWEEPS: dict[str, tuple[float, ...]] = {
    "eta": (1e-6, 3e-6, 1e-5, 3e-5, 1e-4),
    "tau": (16, 32, 64, 128, 256),
    "C": (0.0625, 0.125, 0.25, 0.5, 0.75),
    "m": (4, 8, 16, 32, 64),
    "eta_s": (0.25, 0.5, 1, 2, 4),
}
FEW_STEPS = (8, 16, 32, 64)
LONG_SERVER_STEPS = (1, 2, 4, 8)
FEW_CLIENTS: dict[str, tuple[float, ...]] = {"C": (1 / 12, 1 / 6, 1 / 4), "m": (8, 12)}
"""Where an algorithm keeps something of its clients, every subset of them is a case of its own."""
FIRST_SWEEPS: dict[str, tuple[float, ...]] = {
    "eta": (2e-4, 4e-4, 8e-4),
    "tau": (8, 16, 32),
    "T": (1000, 2000, 4000),
}
SOONER: dict[str, tuple[float, ...]] = {"T": (1000, 2000, 4000, 8000)}
START_SWEEPS: dict[str, tuple[float, ...]] = {
    "eta": (2.5e-4, 5e-4, 1e-3, 2e-3),
    "tau": (8, 16, 32, 64),
    "T": (4000, 8000, 16000, 32000),
}
ROUNDED = 1e-18
"""What is left of a floor of 0: a map that contracts by 1e-5 a round is solved for to 1e-11, and squared."""
UNSEEN: dict[str, str] = {
    "noise drift": "no quadratic shows it: noise moves a client, "
    "but the mean of affine gradients does not feel it",
    "staleness": "the noise that grows old is that of the updates themselves, "
    "which is felt more when it is new",
    "unavailability": "models that clients keep while they are away have no exact moments",
}
_COMING = ("bernoulli-availability", "changing-availability", "known-availability")
"""Assumptions under which clients come by chance, though no fraction C of them."""
_CLIENTS, _ETA, _TAU, _FRACTION = 16, 1e-5, 16, 0.25
_FEW, _SHARED = 4, 12
_ROUNDS = 2000
_WRONG_AT_FIRST = ("fedvarp", "clusterfedvarp", "scaffold")
"""Algorithms whose memories or controls are wrong at first, and are put right as clients come."""


class NotIsolated(BoundkitError):
    """A cause that no instance here shows alone, because the theorem does not speak of such runs."""


@dataclass(frozen=True)
class Point:
    """The claimed quantity on an instance, the instance's values by keyword, and a round of it as a run."""

    measured: float
    values: dict[str, float]
    run: Run | None = None


def only_drift(theorem: Theorem, **letters: float) -> Point:
    """Unlike Hessians, no noise, everybody present: the exact fixed point."""
    pairs = _clients(theorem, letters) // 2
    H, e = [[1.0, 0.5], [0.25, 1.0]] * pairs, [[1.0, -1.0], [-2.0, 1.0]] * pairs
    run = _run(theorem, Quadratic(H, e), letters | {"C": 1.0})
    return _point(theorem, run, _observed(run, fixed_point(run).points[0]))


def only_inconsistency(theorem: Theorem, **letters: float) -> Point:
    """One shared Hessian, no noise, clients that local_steps unequally and are as wrong as their weights.

    Raises NotIsolated where the theorem does not weigh clients by their local_steps.
    """
    if not theorem.solvers or theorem.algorithm == "fednova":
        raise NotIsolated(f"unequal local_steps does not change what {theorem.algorithm} minimises.")
    pairs = int(letters.get("m", _CLIENTS)) // 2
    run = _run(
        theorem, Quadratic([1.0] * 2 * pairs, [[1.0], [-1 / 3]] * pairs), letters, local_steps=[2, 6] * pairs
    )
    return _point(theorem, run, _observed(run, fixed_point(run).points[0]))


def only_participation(theorem: Theorem, **letters: float) -> Point:
    """One shared Hessian, no noise, some clients absent: the exact stationary moments."""
    m = _clients(theorem, letters)
    e = np.random.default_rng(0).standard_normal((m, 2))
    if keeps_client_state(theorem):
        e = np.tile([1.0, -1.0], m // 2)[:, None]  # neighbours are unlike
    run = _run(theorem, Quadratic([1.0] * m, e), letters)
    return _point(theorem, run, _exact(run).stationary())


def only_noise(theorem: Theorem, **letters: float) -> Point:
    """Alike clients with noise: the exact stationary moments."""
    m = _clients(theorem, letters)
    e = np.zeros((m, 1 if keeps_client_state(theorem) else 2))
    run = _run(theorem, Quadratic([1.0] * m, e, noise=1.0), letters)
    return _point(theorem, run, _exact(run).stationary())


def only_start(theorem: Theorem, **letters: float) -> Point:
    """Alike clients without noise, after rounds enough to have arrived: the start is all there is to pay."""
    rounds = int(letters.get("T", (SOONER if keeps_client_state(theorem) else START_SWEEPS)["T"][0]))
    # a round covers eta tau of the way, 0.4 % to 3.2 %: T rounds arrive, and a round is still a small step
    steps = {"tau": _TAU, "eta": START_SWEEPS["eta"][0] * 2} | letters | {"C": 1.0}
    if not takes_local_steps(theorem):
        steps["eta"] *= _TAU
    run = _run(theorem, Quadratic([1.0] * 2, np.zeros((2, 1))), steps, rounds, start=1.0)
    way = _exact(run).trajectory()
    values = theorem_arguments(theorem, run, measure_constants(run, way, theorem))
    return Point(measure_claim(context_of(theorem, run, way)).value, values)


def only_first_errors(theorem: Theorem, **letters: float) -> Point:
    """From the optimum of clients of one Hessian, without noise: what was not yet known of them is all.

    Raises NotIsolated where the algorithm keeps nothing of its clients that is wrong at first.
    """
    if theorem.algorithm not in _WRONG_AT_FIRST:
        raise NotIsolated(f"no instance here isolates the start-up of {theorem.algorithm}.")
    if theorem.assumes("full-participation"):
        raise NotIsolated("with everybody there wrong controls cancel, unless Hessians differ as well.")
    m, rounds = _clients(theorem, letters), int(letters.get("T", _ROUNDS))
    e = np.repeat([1.0, -1.0], m // 2)[:, None]  # neighbours are alike
    run = _run(theorem, Quadratic([1.0] * m, e), {"eta": 4e-4} | letters, rounds)
    observed = _exact(run).trajectory()
    measured = measure_claim(context_of(theorem, run, observed)).value
    return Point(measured, theorem_arguments(theorem, run, compute_constants(run, theorem), observed))


def decay(theorem: Theorem) -> tuple[Array, Array, dict[str, float]]:
    """Rounds, the claimed quantity after each, and the values, for alike clients without noise."""
    run = _run(theorem, Quadratic([[1.0, 0.2]] * 2, np.zeros((2, 2))), {"eta": 1e-3, "C": 1.0}, 200, 1.0)
    way = _exact(run).trajectory()
    values = theorem_arguments(theorem, run, measure_constants(run, way, theorem))
    return np.arange(1.0, run.rounds + 1), measure_claim_by_round(context_of(theorem, run, way))[0], values


def keeps_client_state(theorem: Theorem) -> bool:
    """Whether the algorithm keeps something of its clients."""
    return not algorithm(theorem.algorithm).memoryless


def _clients(theorem: Theorem, letters: dict[str, float]) -> int:
    few = _SHARED if "C" in letters else _FEW
    return int(letters.get("m", few if keeps_client_state(theorem) else _CLIENTS))


def _exact(run: Run) -> Any:
    return exact_engine(run, must=True)


def takes_local_steps(theorem: Theorem) -> bool:
    """Whether clients may take many local steps: the theorem has tau, or derives what they do from tau_i."""
    many = bool(theorem.solvers) or "tau" in {q.name for q in theorem.quantities}
    return many and not theorem.assumes("one-local-step")


def _observed(run: Run, x: Array) -> dict[str, float]:
    """Every observable at a point that rests, of all that the run is observed by."""
    observed = dict(run.problem.observe(x))
    if run.looks_inside or run.local_spread:
        observed |= {n: v[0, 0] for n, v in Step(replace(run, x0=x, rounds=1)).trajectory().observed.items()}
    for prefix, other in run.watch.items():
        observed |= {f"{prefix}_{name}": value for name, value in other.observe(x).items()}
    return {name: float(value) for name, value in observed.items()}


def _run(
    theorem: Theorem,
    problem: Quadratic,
    letters: dict[str, Any],
    rounds: int = 1,
    start: float = 0.0,
    local_steps: list[int] | None = None,
) -> Run:
    known = {q.name for q in theorem.quantities}
    partial = "C" in known or any(theorem.assumes(name) for name in _COMING)
    fraction = letters.get("C", _FRACTION) if partial else 1.0
    tau = int(letters.get("tau", _TAU)) if takes_local_steps(theorem) else 1
    instance = Instance(
        "one cause",
        problem,
        local_steps=tau if local_steps is None else local_steps,
        present=fraction,
        eta_s=letters.get("eta_s", 1.0),
        rounds=rounds,
        eta=letters.get("eta", _ETA),
        x0=np.full(problem.d, start),
    )
    made = add_observables(theorem, _arranged(theorem, instance).run(theorem.algorithm, instance.eta))
    reasons = reasons_not_applicable(theorem, made)
    if reasons:
        raise NotIsolated(f"the instance that would show it is not the theorem's: {'; '.join(reasons)}.")
    return made


def _arranged(theorem: Theorem, instance: Instance) -> Instance:
    """The instance with who comes and how they are weighed as the theorem has it, on the same problem."""
    for rule in FAMILIES.rules_of(theorem):
        if rule.arrange is not None:
            instance = replace(
                rule.arrange(theorem, instance) or instance, problem=instance.problem, eta=instance.eta
            )
    return instance


def _point(theorem: Theorem, run: Run, observed: dict[str, float]) -> Point:
    there = {name: np.full(2, value) for name, value in observed.items()}
    constants = constants_at_fixed_point(
        theorem, run, np.stack([run.x0] * 2), there, compute_constants(run, theorem)
    )
    apart = observed[f"{context_of(theorem, run).prefix}dissimilarity"]
    apart = observed.get("local_spread", apart)
    constants.setdefault("sigma_g", Constant(max(apart, 0.0) ** 0.5, "local", "in the limit"))
    return Point(_claimed(theorem, run, observed), theorem_arguments(theorem, run, constants), run)


def _claimed(theorem: Theorem, run: Run, observed: dict[str, float]) -> float:
    """The claimed quantity; without chance a norm is the root of its square."""
    name = theorem.claim.observable
    square = {"distance": "distance_squared", "gradient_norm": "gradient_norm_squared"}.get(name)
    if square is None and name not in observed:
        raise NotIsolated(f"the {name.replace('_', ' ')} is not seen where a run rests.")
    if square is None:
        return observed[name]
    if run.problem.noise > 0 or run.participation.random:
        raise NotIsolated(f"the {name.replace('_', ' ')} of a run with chance is no moment.")
    return float(observed[square] ** 0.5) if observed[square] > ROUNDED else 0.0
