"""The constants of a run: by formula where there is one, else measured along the trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.report.formatting import join_names
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Network, Problem
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.checks import Check
from boundkit.verification.context import run_settings
from boundkit.verification.dissimilarity import EVERYWHERE, dissimilarity_along
from boundkit.verification.estimate import ESTIMATES, evaluate_locally
from boundkit.verification.families import context_of


def measure_constants(
    run: Run, trajectory: Trajectory, theorem: Theorem | None = None
) -> dict[str, Constant]:
    """Every constant that the problem has, by keyword, and those that the theorem needs besides.

    Where the dissimilarity is not the same everywhere, sigma_g^2 is the largest of its expectations at
    x_0, ..., x_{T-1}: the proofs evaluate it at the server's iterates only, and take expectations. For a
    theorem on a surrogate, the constants are those of the surrogate.
    """
    if theorem is None:
        constants = run.problem.constants(run.x0)
        if "sigma_g" not in constants and "dissimilarity" in trajectory.observed:
            constants["sigma_g"] = dissimilarity_along(trajectory)
        return constants
    context = context_of(theorem, with_estimated_constants(theorem, run, trajectory), trajectory)
    constants = dict(context.constants)
    at_server = not theorem.assumes("uniform-dissimilarity")
    recorded = f"{context.prefix}dissimilarity" in trajectory.observed
    if "sigma_g" not in constants and at_server and recorded:
        constants["sigma_g"] = dissimilarity_along(trajectory, context.prefix)
    needed = context.names_to_measure(constants)
    return constants | {name: context.families.constants[name](context) for name in needed}


def compute_constants(run: Run, theorem: Theorem) -> dict[str, Constant]:
    """The constants that are available before the run is simulated."""
    return context_of(theorem, run).constants_before_run()


def theorem_arguments(
    theorem: Theorem, run: Run, constants: dict[str, Constant], recorded: Trajectory | None = None
) -> dict[str, float]:
    """The arguments of the theorem: the run's configuration and the problem's constants.

    T counts the rounds of the trajectory ``recorded``: a server that waits for its clients begins later.
    Raises BoundkitError where the problem does not have a constant that the theorem needs.
    """
    settings = run_settings(run)
    if recorded is not None and recorded.outcome == "done":
        settings["T"] = len(recorded.x) - 1
    values: dict[str, float] = {}
    for quantity in theorem.quantities:
        name = quantity.name
        if name in settings:
            values[name] = settings[name]
        elif name in constants:
            values[name] = constants[name].value
        elif name in ("beta", "kappa") and "sigma_g" in constants:
            values[name] = 1.0 if name == "beta" else constants["sigma_g"].value
        elif is_unspecified(name):
            values[name] = 1.0
        else:
            raise BoundkitError(
                f"{theorem.name} needs {name} ({quantity.meaning}), "
                f"and this {run.problem.kind} problem has none."
            )
    return values


def arguments_at_horizon(values: Mapping[str, Any], rounds: int, horizon: Any) -> dict[str, Any]:
    """A theorem's arguments after ``horizon`` rounds, from those after ``rounds``: T, or time, changes."""
    changed = {"T": horizon} if "T" in values else {}
    if "wall" in values:
        changed["wall"] = values["wall"] / rounds * horizon
    return {**values, **changed}


def is_unspecified(name: str) -> bool:
    """Whether that is an unspecified constant c_1, c_2, ... of an order-level bound, which is set to 1."""
    return name.startswith("c_") and name[2:].isdigit()


ALWAYS = ("L", "sigma")
"""Constants that other quantities are computed from."""
BY_REPLICAS = frozenset({"sigma_g", "beta", "kappa", "gap", "sigma_star"})
"""Constants that are recorded in every round of every replica, which is better than one path."""
_MOST, _HESSIANS = 20, 5


def with_estimated_constants(theorem: Theorem, run: Run, recorded: Trajectory) -> Run:
    """The run with those constants of its network that the theorem needs and no formula gives.

    Other problems, and constants that cannot be estimated, are unchanged.
    """
    problem = run.problem
    if not isinstance(problem, Network) or not len(recorded.x):
        return run
    needed = {q.name for q in theorem.quantities}
    to_estimate = {*ALWAYS, *needed & set(ESTIMATES)} - BY_REPLICAS - set(problem.constants(run.x0))
    if problem.optimum is None:
        to_estimate |= needed & {"sigma_star"}
    if not theorem.assumes("relaxed-smooth-mean"):
        to_estimate -= {"L0", "L1"}  # those that are estimated are of the mean
    if theorem.algorithm in EVERYWHERE:
        to_estimate |= needed & {"beta", "kappa"}
    local = evaluate_locally(problem, recorded, run.participation, _MOST, _HESSIANS, run.seed)
    estimated = {}
    for name in sorted(to_estimate):
        try:
            estimated[name] = ESTIMATES[name](local).constant()
        except BoundkitError:
            continue  # reported where the constant is needed
    if not estimated:
        return run
    watch = {
        prefix: _with_constants(objective, {n: estimated[n] for n in ALWAYS if n in estimated})
        for prefix, objective in run.objectives.items()
    }
    return replace(run, problem=problem.with_constants(estimated), objectives=watch)


def local_model_check(run: Run) -> list[Check]:
    """The check that estimated constants leave open: their values at the clients' local models."""
    problem = run.problem
    names = sorted(problem.extra_constants) if isinstance(problem, Network) else []
    if not names:
        return []
    sentence = (
        f"{join_names(names)} were measured at the server's models of the first replica; "
        "the proof needs them at the clients' local models"
    )
    return [Check("constants elsewhere", "not tested", sentence)]


def _with_constants(objective: Problem, estimated: dict[str, Constant]) -> Problem:
    """Another mean of the same clients' losses, with the same constants of the clients."""
    return objective.with_constants(estimated) if isinstance(objective, Network) else objective
