"""What Sphinx needs beside its own: formulas as MathML, and pages printed from boundkit itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any

PARTS = ("mathml_renderer", "fill", "public_names", "theorem_pages")
"""What hooks into Sphinx; the rest only writes Markdown, and needs no Sphinx."""


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    for part in PARTS:
        import_module(f"{__name__}.{part}").setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
