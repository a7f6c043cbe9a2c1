"""sigma_g, beta and kappa: how far the clients' gradients are from each other, in the readings D1, D2, D3.

D1: max_i ||grad F_i - grad F||^2. D2: sum p_i ||grad F_i - grad F||^2. D3: sum p_i ||grad F_i||^2 <= beta^2
||grad F||^2 + kappa^2, of which D2 is the case beta = 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from boundkit.analysis.evaluate import first_largest
from boundkit.simulation.problems.base import Array
from boundkit.verification.estimate.context import Scene
from boundkit.verification.estimate.linear_envelope import Line, envelope, without_one
from boundkit.verification.estimate.measurement import Measured, exactly


def _largest(series: Array, what: str, scene: Scene) -> Measured:
    worst = first_largest(series)
    how = f"root of the largest {what}, at x_{scene.rounds[worst]}; exact at these points"
    return exactly(float(series[worst]) ** 0.5, scene.at(), how)


def _mean_square(scene: Scene) -> Measured:
    return _largest(scene.gradients.apart, "sum p_i ||grad F_i - grad F||^2 (reading D2)", scene)


def _every_client(scene: Scene) -> Measured:
    return _largest(scene.gradients.worst, "||grad F_i - grad F||^2 of any client (reading D1)", scene)


def _of_line(read: Callable[[Line], float], what: str) -> Callable[[Scene], Measured]:
    def measure(scene: Scene) -> Measured:
        x, y = scene.gradients.mean, scene.gradients.moment
        value = read(envelope(x, y, least=1.0)) ** 0.5
        others = [read(line) ** 0.5 for line in without_one(x, y, least=1.0)]
        how = (
            f"{what} of the lowest line above sum p_i ||grad F_i||^2 against ||grad F||^2 (reading D3); "
            "interval: leaving out one point each"
        )
        return Measured(value, min(value, *others), max(value, *others), scene.at(), how)

    return measure


def _at_best(scene: Scene) -> Measured:
    """sum p_i ||grad F_i - grad F||^2 where F is least, with the gradient that is left there."""
    point = scene.minima.point
    each = scene.problem.client_gradients(point[None])[0]
    mean = scene.problem.p @ each
    value = float(scene.problem.p @ ((each - mean) ** 2).sum(axis=1)) ** 0.5
    said = f"root of sum p_i ||grad F_i - grad F||^2 (a gradient of {np.linalg.norm(mean):.2g} is left)"
    return exactly(value, "the best point that descent found", said)


ESTIMATES = {
    "sigma_g": _mean_square,
    "sigma_g_worst": _every_client,
    "beta": _of_line(lambda line: line.slope, "root of the slope"),
    "kappa": _of_line(lambda line: line.intercept, "root of the height at 0"),
    "sigma_star": _at_best,
}
