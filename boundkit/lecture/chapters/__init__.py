"""The chapters in the order of the talk: each module holds one ``CHAPTER``."""

from __future__ import annotations

from importlib import import_module

from boundkit.lecture.parts import Chapter

ORDER = ("setting", "data", "communication", "computation", "smoothness", "ahead", "reading")
"""The modules here."""


def chapters() -> tuple[Chapter, ...]:
    """Every chapter, in order."""
    return tuple(import_module(f"{__name__}.{name}").CHAPTER for name in ORDER)
