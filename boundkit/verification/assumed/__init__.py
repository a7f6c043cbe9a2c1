"""The assumptions of theorems, as runs meet them: one rule each.

Each module here holds ``RULES``: for the name of an assumption, a ``Rule``. Adding an assumption that a run
can be set up for is adding an entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from boundkit.algebra import Theorem
from boundkit.verification.assumed.rule import MEASURED, Plan, Rule
from boundkit.verification.registry import gathered

RULES: dict[str, Rule] = gathered(__name__, __path__, "RULES")
PLANS: dict[str, Callable[[Theorem], Sequence[Plan]]] = gathered(__name__, __path__, "PLANS")
"""Plans of its own for a theorem, by its name, in place of those of its assumptions."""

__all__ = ["MEASURED", "PLANS", "RULES", "Plan", "Rule"]
