"""The constants of a run: by formula where there is one, else along the trajectory that the proofs use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.constant import Constant
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.quantities import KNOWN, NotYet, Subject
from boundkit.verification.quantities.basic import dissimilarity_along
from boundkit.verification.trajectory_constants import told


def known_of(subject: Subject, name: str) -> Constant:
    """One quantity, from the run's settings, the problem's constants, or what is known of both.

    Raises BoundkitError where there is no such thing, NotYet where the run must be made first.
    """
    given = settings(subject.run)
    if name in given:
        return Constant(given[name], "exact", "the run's own")
    if name in subject.constants:
        return subject.constants[name]
    if name in KNOWN:
        return KNOWN[name](subject)
    raise BoundkitError(f"{name} is not known of a run.")


def constants_along(run: Run, trajectory: Trajectory, theorem: Theorem | None = None) -> dict[str, Constant]:
    """Every constant that the problem has, by house keyword, and those that the theorem needs besides.

    Where the dissimilarity is not constant on all of space, sigma_g^2 is the largest of its
    expectations at x_0, ..., x_{T-1}: the proofs evaluate it at the server's iterates only, and take
    expectations. Where the theorem speaks of a surrogate, the constants are those of the surrogate.
    """
    if theorem is None:
        found = run.problem.constants(run.x0)
        if "sigma_g" not in found and "dissimilarity" in trajectory.observed:
            found["sigma_g"] = dissimilarity_along(trajectory)
        return found
    run = told(theorem, run, trajectory)
    subject = Subject(theorem, run, trajectory)
    found = dict(subject.constants)
    elsewhere = theorem.assumes("uniform-dissimilarity")
    if "sigma_g" not in found and not elsewhere and f"{subject.prefix}dissimilarity" in trajectory.observed:
        found["sigma_g"] = dissimilarity_along(trajectory, subject.prefix)
    return found | _needed(subject, found)


def constants_before(run: Run, theorem: Theorem) -> dict[str, Constant]:
    """The constants that are known before the run is made."""
    subject = Subject(theorem, run)
    found = dict(subject.constants)
    for quantity in theorem.quantities:
        if quantity.name not in found:
            try:
                found |= _needed(subject, found, (quantity.name,))
            except NotYet:
                continue
            except BoundkitError:
                if not run.problem.large:
                    raise
                continue  # it may be estimated along the run
    return found


def _needed(
    subject: Subject, found: dict[str, Constant], names: tuple[str, ...] | None = None
) -> dict[str, Constant]:
    given = settings(subject.run)
    wanted = names or tuple(q.name for q in subject.theorem.quantities)
    return {n: KNOWN[n](subject) for n in wanted if n in KNOWN and n not in given and n not in found}


def parameters(
    theorem: Theorem, run: Run, constants: dict[str, Constant], seen: Trajectory | None = None
) -> dict[str, float]:
    """What the theorem is asked with: the run's own settings and the problem's constants.

    T counts the rounds that were ``seen``: a server that waits for its clients begins later. Raises
    BoundkitError where the problem does not have a constant that the theorem needs.
    """
    given = settings(run)
    if seen is not None and seen.outcome == "done":
        given["T"] = len(seen.x) - 1
    values: dict[str, float] = {}
    for quantity in theorem.quantities:
        name = quantity.name
        if name in given:
            values[name] = given[name]
        elif name in constants:
            values[name] = constants[name].value
        elif name in ("beta", "kappa") and "sigma_g" in constants:
            values[name] = 1.0 if name == "beta" else constants["sigma_g"].value
        elif is_open(name):
            values[name] = 1.0
        else:
            raise BoundkitError(
                f"{theorem.name} needs {name} ({quantity.meaning}), "
                f"and this {run.problem.kind} problem has none."
            )
    return values


def at_horizon(asked: Mapping[str, Any], rounds: int, horizon: Any) -> dict[str, Any]:
    """What a theorem is asked with after ``horizon`` rounds, if so after ``rounds``: T, or time."""
    moved = {"T": horizon} if "T" in asked else {}
    if "wall" in asked:
        moved["wall"] = asked["wall"] / rounds * horizon
    return {**asked, **moved}


def is_open(name: str) -> bool:
    """Whether that is an open constant c_1, c_2, ... of a bound up to constants; it is put at 1."""
    return name.startswith("c_") and name[2:].isdigit()


def settings(run: Run) -> dict[str, float]:
    """What a run says of itself, by house keyword."""
    fraction = _fraction(run)
    return {
        "m": run.problem.m,
        "T": run.rounds,
        "eta": run.eta,
        "eta_s": run.eta_s,
        **({} if run.tau is None else {"tau": run.tau}),
        **({} if fraction is None else {"C": fraction}),
    }


def _fraction(run: Run) -> float | None:
    """C, where every round takes the same fraction of the clients."""
    sizes = {run.participation.size(t) for t in range(run.participation.period)}
    size = sizes.pop() if len(sizes) == 1 else None
    return None if size is None else size / run.problem.m
