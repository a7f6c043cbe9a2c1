"""Quantities of the duration of a round that theorems do not have, and the mean maximum as a function."""

from __future__ import annotations

from sympy import Expr, Function, Integer, Le, harmonic, sqrt
from sympy.core.relational import Relational

from boundkit.algebra.dimension import ONE, SECONDS
from boundkit.algebra.domain import COUNT, NONNEGATIVE, POSITIVE
from boundkit.algebra.notation import C, delay, m, sigma, step_time, tau
from boundkit.algebra.quantity import Quantity, Vector

epochs = Quantity("epochs", "E", "passes over its own data that a client makes a round", COUNT, ONE, 5)
samples = Quantity("samples", "n", "data points of a client", COUNT, ONE, 600)
batch = Quantity("batch", "b", "data points of one gradient", COUNT, ONE, 10)
overhead = Quantity("overhead", "c_0", "time of a step whatever its batch", NONNEGATIVE, SECONDS, 0.01)
per_sample = Quantity("per_sample", "c_1", "time of a step per data point", POSITIVE, SECONDS, 0.001)
n_i = Vector("n_i", "n_i", "data points of each client", COUNT, ONE, samples)

QUANTITIES: dict[str, Quantity] = {
    q.name: q for q in (m, C, tau, step_time, delay, epochs, samples, batch, overhead, per_sample)
}
"""Every quantity of the duration of a round, by its keyword."""


class SlowestOf(Function):  # type: ignore[misc]  # sympy carries no types
    """E max over M clients of the sum of k independent exponential times of mean 1.

    It increases in both. For k = 1 it is the harmonic number of M, for M = 1 it is k.

    >>> from sympy import Symbol
    >>> SlowestOf(3, 1), SlowestOf(1, Symbol("k"))
    (11/6, k)
    """

    nargs = 2
    description = "SlowestOf(M, k): the mean of the largest of M sums of k exponential times of mean 1"
    rises = True

    @classmethod
    def eval(cls, clients: Expr, steps: Expr) -> Expr | None:
        if steps == 1:
            return harmonic(clients)
        return steps if clients == Integer(1) else None

    def _eval_is_extended_positive(self) -> bool:
        return True


IN_BATCHES: dict[Quantity, Expr] = {sigma: sigma / sqrt(batch), tau: epochs * samples / batch}
"""sigma is then the noise of one data point, and the gradient of a batch averages b of them."""

AT_LEAST_ONE_STEP: tuple[Relational, ...] = (Le(batch, epochs * samples, evaluate=False),)
"""A batch is no larger than all that a client works through in a round."""
