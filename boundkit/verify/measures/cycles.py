"""Runs of theorems on groups that take turns are looked at by their groups."""

from __future__ import annotations

from boundkit.verify.groups import groups_seen

SEEN = {"group-dissimilarity": groups_seen}
