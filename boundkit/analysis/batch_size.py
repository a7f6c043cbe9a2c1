"""Batches and epochs in place of noise and local steps: sigma^2 becomes sigma^2/b, tau becomes E n/b."""

from __future__ import annotations

from sympy import Expr, Le, sqrt
from sympy.core.relational import Relational

from boundkit.algebra import Quantity
from boundkit.algebra.notation import sigma, tau
from boundkit.analysis.runtime.notation import batch, epochs, samples

IN_BATCHES: dict[Quantity, Expr] = {sigma: sigma / sqrt(batch), tau: epochs * samples / batch}
"""sigma is then the noise of one data point, and the gradient of a batch averages b of them."""

AT_LEAST_ONE_STEP: tuple[Relational, ...] = (Le(batch, epochs * samples, evaluate=False),)
"""A batch is no larger than all that a client works through in a round."""
