r"""The house alphabet: one letter, one meaning, one place.

A paper's own letters are mapped to these in the ``Source`` of each theorem. m counts all clients,
C m of them take part in a round, T counts rounds (never local steps), sigma is the noise of one
stochastic gradient summed over its coordinates, sigma_g the dissimilarity of the clients' gradients.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr
from sympy.core.relational import Relational

from boundkit.algebra.dimension import CURVATURE, GRADIENT, LENGTH, LOSS, ONE, STEP, Dimension
from boundkit.algebra.domain import COUNT, FRACTION, NONNEGATIVE, POSITIVE
from boundkit.algebra.quantity import Quantity

m = Quantity("m", "m", "number of clients, all of them", COUNT, ONE, 100)
C = Quantity("C", "C", "fraction of the clients that takes part in a round", FRACTION, ONE, 0.1)
T = Quantity("T", "T", "communication rounds", COUNT, ONE, 1000)
tau = Quantity("tau", r"\tau", "local steps a round, the same for all clients", COUNT, ONE, 10)

eta = Quantity("eta", r"\eta", "client step size", POSITIVE, STEP, 0.001)
eta_s = Quantity("eta_s", r"\eta_s", "server step size", POSITIVE, ONE, 1)

L = Quantity("L", "L", "smoothness of every client's loss", POSITIVE, CURVATURE, 1)
mu = Quantity("mu", r"\mu", "strong convexity of every client's loss", POSITIVE, CURVATURE, 0.1)

sigma = Quantity(
    "sigma", r"\sigma", "noise of one stochastic gradient, summed over coordinates", NONNEGATIVE, GRADIENT, 1
)
sigma_g = Quantity(
    "sigma_g", r"\sigma_g", "dissimilarity of the clients' gradients", NONNEGATIVE, GRADIENT, 1
)

gap = Quantity("gap", r"\Delta", "loss at the start above its infimum", NONNEGATIVE, LOSS, 1)
distance = Quantity("distance", "D", "distance of the start from the optimum", NONNEGATIVE, LENGTH, 1)

ALPHABET: dict[str, Quantity] = {
    q.name: q for q in (m, C, T, tau, eta, eta_s, L, mu, sigma, sigma_g, gap, distance)
}
"""Every quantity by its keyword, in the order in which tables list them."""

WHOLE: tuple[Expr, ...] = (C * m,)
"""Combinations that must be whole numbers wherever all their letters occur: nobody sends half a client."""


def quantities_of(expressions: Iterable[Expr | Relational]) -> tuple[Quantity, ...]:
    """The quantities that occur in the expressions, in the order of the alphabet.

    >>> [q.name for q in quantities_of([eta * L, gap / T])]
    ['T', 'eta', 'L', 'gap']
    """
    found = {q for e in expressions for q in e.free_symbols if isinstance(q, Quantity)}
    order = list(ALPHABET.values())
    return tuple(sorted(found, key=lambda q: (order.index(q) if q in order else len(order), q.name)))


def units_of(*expressions: Expr | Relational) -> dict[Quantity, Dimension]:
    """The dimension of every quantity that occurs, as ``dimension_of`` takes it."""
    return {q: q.dimension for q in quantities_of(expressions)}
