"""Damage that a disk or a hand does to a file."""

from __future__ import annotations

NESTED = "[" * 100_000 + "]" * 100_000
"""JSON that is nested more deeply than Python's reader goes."""


def flipped(content: bytes, place: int, bit: int) -> bytes:
    """The content with one bit changed."""
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)


def zeroed(content: bytes, place: int, size: int) -> bytes:
    """The content with a block of zeros."""
    return content[:place] + bytes(len(content[place : place + size])) + content[place + size :]
