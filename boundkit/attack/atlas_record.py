"""The record of the atlas in the package: the numbers of the documentation."""

from __future__ import annotations

from pathlib import Path

NAME = "atlas"
FILE = Path(__file__).with_name("atlas.json")
"""Made from the stored worst instances, from single causes, and from infinitely many clients."""
