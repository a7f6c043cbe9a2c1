"""The scaling of a theorem whose constants are open, along its own sweeps or the usual ones."""

from __future__ import annotations

from collections.abc import Callable

from boundkit.algebra import Theorem
from boundkit.simulation.engines import Progress
from boundkit.verification import scalings
from boundkit.verification.checks.check import Check
from boundkit.verification.checks.order_level import Scaling, order_checks
from boundkit.verification.engine_options import USUAL, Machine
from boundkit.verification.registry import gathered

SCALINGS: dict[str, Callable[[Theorem], Scaling]] = gathered(scalings.__name__, scalings.__path__, "SCALINGS")


def scaling_checks(
    theorem: Theorem,
    machine: Machine = USUAL,
    seed: int | None = None,
    quick: bool = False,
    progress: Progress | None = None,
) -> list[Check]:
    """One check a letter; the settings are those of ``order_checks``."""
    own = SCALINGS.get(theorem.name)
    return order_checks(theorem, None if own is None else own(theorem), machine, seed, quick, progress)
