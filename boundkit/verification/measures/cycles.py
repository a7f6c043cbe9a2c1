"""Runs of theorems on groups that take turns are looked at by their groups."""

from __future__ import annotations

from boundkit.verification.group_dissimilarity import groups_seen

SEEN = {"group-dissimilarity": groups_seen}
