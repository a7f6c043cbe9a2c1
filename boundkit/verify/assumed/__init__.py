"""The assumptions of theorems, as runs meet them: one rule each.

Each module here holds ``RULES``: for the name of an assumption, a ``Rule``. Adding an assumption that a run
can be set up for is adding an entry.
"""

from __future__ import annotations

from boundkit.verify.assumed.rule import MEASURED, Plan, Rule
from boundkit.verify.registry import gathered

RULES: dict[str, Rule] = gathered(__name__, __path__, "RULES")

__all__ = ["MEASURED", "RULES", "Plan", "Rule"]
