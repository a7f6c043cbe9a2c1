"""A claim against a measurement: problems, participation, algorithms, engines, checks, records.

``boundkit.verify`` is this package, and it can be called: ``boundkit.verify(theorem, problem, ...)`` is
``boundkit.verify.verifying.verify``. Importing the package loads no torch.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boundkit.algebra import Theorem
    from boundkit.verify.verdict import Verdict


class _Callable(ModuleType):
    def __call__(self, theorem: Theorem, *args: Any, **settings: Any) -> Verdict:
        from boundkit.algebra import BoundkitError, Theorem
        from boundkit.verify.verifying import verify

        if not isinstance(theorem, Theorem):
            raise BoundkitError(
                f"verify takes a theorem as a value, such as boundkit.theorem({theorem!r}) gives."
            )
        return verify(theorem, *args, **settings)


sys.modules[__name__].__class__ = _Callable
