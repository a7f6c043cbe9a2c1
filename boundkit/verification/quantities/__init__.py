"""What a theorem is asked with that neither the run's settings nor the problem's constants give.

Each module here holds ``KNOWN``: for a house keyword, a function from the ``Subject`` to a ``Constant``.
Adding a quantity is adding an entry.
"""

from __future__ import annotations

from collections.abc import Callable

from boundkit.simulation.constant import Constant
from boundkit.verification.quantities.subject import NotYet, Subject
from boundkit.verification.registry import gathered

Known = Callable[[Subject], Constant]
KNOWN: dict[str, Known] = gathered(__name__, __path__, "KNOWN")

__all__ = ["KNOWN", "Known", "NotYet", "Subject"]
