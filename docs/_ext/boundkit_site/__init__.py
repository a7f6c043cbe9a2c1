"""What Sphinx needs beside its own: formulas as MathML, and pages printed from boundkit itself."""

from __future__ import annotations

from typing import Any

from . import fill, mathml_renderer, public_names

PARTS = (mathml_renderer, fill, public_names)


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    for part in PARTS:
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
