"""L0 and L1 with ||hess F|| <= L0 + L1 ||grad F||, the evidence for relaxed smoothness along a trajectory."""

from __future__ import annotations

from collections.abc import Callable

from boundkit.simulation.problems.base import Array
from boundkit.verification.estimate.linear_envelope import Line, envelope, regression, without_one
from boundkit.verification.estimate.local_evaluations import LocalEvaluations
from boundkit.verification.estimate.measurement import MeasuredConstant


def norms(local: LocalEvaluations) -> tuple[Array, Array]:
    """||grad F|| and ||hess F|| at the few points: (few,) each."""
    return local.gradients.mean[local.hessian_points] ** 0.5, local.mean_norms[0]


def _of_line(read: Callable[[Line], float], what: str) -> Callable[[LocalEvaluations], MeasuredConstant]:
    def measure(local: LocalEvaluations) -> MeasuredConstant:
        x, y = norms(local)
        value = read(envelope(x, y))
        others = [read(line) for line in without_one(x, y)]
        fit = regression(x, y)
        slope = (
            "" if fit is None else f"; least squares has the slope {fit[0]:.3g} [{fit[1]:.3g}, {fit[2]:.3g}]"
        )
        how = (
            f"{what} of the lowest line above ||hess F|| against ||grad F||{slope}; interval: leaving out one"
        )
        return MeasuredConstant(
            value, min(value, *others), max(value, *others), local.describe_rounds(local.hessian_points), how
        )

    return measure


ESTIMATES = {
    "L0": _of_line(lambda line: line.intercept, "height at 0"),
    "L1": _of_line(lambda line: line.slope, "slope"),
}
