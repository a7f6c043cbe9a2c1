"""The scaling of a theorem whose constants are open, along its own sweeps or the usual ones."""

from __future__ import annotations

from collections.abc import Callable

from boundkit.algebra import Theorem
from boundkit.verify import scalings
from boundkit.verify.checks.check import Check
from boundkit.verify.checks.order import Scaling, order_checks
from boundkit.verify.registry import gathered

SCALINGS: dict[str, Callable[[Theorem], Scaling]] = gathered(scalings.__name__, scalings.__path__, "SCALINGS")


def scaling_checks(theorem: Theorem) -> list[Check]:
    """One check a letter."""
    own = SCALINGS.get(theorem.name)
    return order_checks(theorem, None if own is None else own(theorem))
