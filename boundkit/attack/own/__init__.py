"""Bring your own: everything about a theorem that a user wrote, on one page."""

from __future__ import annotations

from boundkit.attack.own.gathering import own
from boundkit.attack.own.page import Page

__all__ = ["Page", "own"]
