"""The catalogue beside the theorems of a user's file, each read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boundkit.algebra import Theorem


class Known(Mapping[str, "Theorem"]):
    """Theorems by name; a name that the catalogue has stays the catalogue's.

    Reading a hundred files takes longer than most checks, and a check needs a few of them.
    """

    def __init__(self, own: Mapping[str, Theorem] | None = None) -> None:
        from boundkit.theorems import names

        self.own = dict(own or {})
        self.names = names()

    def __getitem__(self, name: str) -> Theorem:
        from boundkit.theorems import theorem as named

        return named(name) if name in self.names else self.own[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self.names, *self.own]))

    def __len__(self) -> int:
        return len({*self.names, *self.own})
