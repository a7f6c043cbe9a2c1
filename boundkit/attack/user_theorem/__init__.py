"""Bring your own: everything about a theorem that a user wrote, on one page."""

from __future__ import annotations

from boundkit.attack.user_theorem.examination import own
from boundkit.attack.user_theorem.page import Page

__all__ = ["Page", "own"]
