"""Examination of a user's own theorem by every test of the package."""

from __future__ import annotations

from boundkit.attack.user_theorem.examination import Examination, examine

__all__ = ["Examination", "examine"]
