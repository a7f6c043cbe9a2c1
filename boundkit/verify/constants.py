"""The constants of a run: by formula where there is one, else along the trajectory that the proofs use."""

from __future__ import annotations

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.verify.constant import Constant
from boundkit.verify.run import Run
from boundkit.verify.trajectory import Trajectory


def constants_along(run: Run, trajectory: Trajectory) -> dict[str, Constant]:
    """Every constant that the problem has, by house keyword.

    Where the dissimilarity is not constant on all of space, sigma_g^2 is the largest of its
    expectations at x_0, ..., x_{T-1}: the proofs evaluate it at the server's iterates only, and take
    expectations.
    """
    found = run.problem.constants(run.x0)
    if "sigma_g" not in found and "dissimilarity" in trajectory.observed:
        along = trajectory.mean("dissimilarity")[: run.rounds]
        worst = int(np.argmax(along))
        found["sigma_g"] = Constant(
            float(max(along[worst], 0.0)) ** 0.5,
            "estimated" if trajectory.random else "local",
            f"largest along the run, at round {worst}",
        )
    return found


def readings(run: Run, constants: dict[str, Constant]) -> dict[str, Constant]:
    """The constants, with what follows from them: reading D2 is D3 with beta = 1 and kappa = sigma_g."""
    if "sigma_g" not in constants or not run.problem.equal_weights:
        return constants
    one = Constant(1.0, "exact", "reading D2 is D3 with beta = 1")
    return {"beta": one, "kappa": constants["sigma_g"], **constants}


def parameters(theorem: Theorem, run: Run, constants: dict[str, Constant]) -> dict[str, float]:
    """What the theorem is asked with: the run's own settings and the problem's constants.

    Raises BoundkitError where the problem does not have a constant that the theorem needs.
    """
    given = settings(run)
    constants = readings(run, constants)
    values: dict[str, float] = {}
    for quantity in theorem.quantities:
        name = quantity.name
        if name in given:
            values[name] = given[name]
        elif name in constants:
            values[name] = constants[name].value
        else:
            raise BoundkitError(
                f"{theorem.name} needs {name} ({quantity.meaning}), "
                f"and this {run.problem.kind} problem has none."
            )
    return values


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
