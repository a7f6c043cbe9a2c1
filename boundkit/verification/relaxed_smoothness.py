"""(L0, L1)-smoothness constants: of every client or of the mean loss; of one problem or of a class."""

from __future__ import annotations

from boundkit.algebra import BoundkitError, Theorem
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem
from boundkit.simulation.problems.clipping_problem import ClippingProblem
from boundkit.simulation.problems.exponential import Exponential
from boundkit.simulation.problems.polynomial import Polynomial
from boundkit.simulation.run import Run

NEARLY_NONE = 1e-6
"""L1 clip where any L1 > 0 is valid: so small that no condition on it matters."""


def relaxed_smoothness_constants(theorem: Theorem, run: Run) -> dict[str, Constant]:
    """The constants that the theorem defines for a class of problems, or for the mean loss alone."""
    if theorem.kind == "lower" and isinstance(run.problem, ClippingProblem):
        return {
            name: Constant(value, "exact", "of the class of which this is the hard instance")
            for name, value in run.problem.class_parameters.items()
        }
    return mean_loss_constants(run.problem, run.x0) if theorem.assumes("relaxed-smooth-mean") else {}


def mean_loss_constants(problem: Problem, x0: Array) -> dict[str, Constant]:
    """L0 and L1 of the mean loss; empty where only those of the clients are available."""
    if isinstance(problem, Exponential):
        L0 = problem.L0 * float(problem.A.max())
        return {"L0": Constant(L0, "exact", "of the mean: L0 times the largest A_j")}
    if isinstance(problem, ClippingProblem):
        share = float(abs(problem.instance.scales).max())
        return {"L0": Constant(problem.parameters["L0"] / share, "exact", "of the mean, by construction")}
    if isinstance(problem, Polynomial):
        alone = Polynomial([problem.mean], L1=problem.L1).constants(x0)
        return {name: alone[name] for name in ("L0", "L1") if name in alone}
    return {}


def relaxed_smoothness(problem: Problem, x0: Array, clip: float | None) -> dict[str, Constant]:
    """L0 and L1 of all clients; of smooth losses L0 = L, with an L1 that is small beside the clip.

    Raises BoundkitError where the problem has neither.
    """
    constants = problem.constants(x0)
    if "L0" in constants:
        return {"L0": constants["L0"], "L1": constants["L1"]}
    if "L" not in constants:
        raise BoundkitError(f"no (L0, L1) of this {problem.kind} problem is known.")
    L = constants["L"]
    return {
        "L0": Constant(L.value, L.trust, f"L, with any L1: {L.how}"),
        "L1": Constant(
            1.0 if clip is None else NEARLY_NONE / clip, "exact", "1e-6/clip, as any L1 > 0 is valid"
        ),
    }
