"""The catalogue beside the theorems of a user's file, each read when it is asked for; what a target means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boundkit.algebra import Theorem


class KnownTheorems(Mapping[str, "Theorem"]):
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


def is_file(target: str) -> bool:
    """Whether a Python file is meant and no name of the catalogue; which files exist does not matter."""
    return file_and_name(target) is not None


def file_and_name(target: str) -> tuple[str, str] | None:
    """The parts of ``FILE.py`` (without a name) and of ``FILE.py:NAME``; None for any other target."""
    from boundkit.analysis.python_file import ENDING

    if target.endswith(ENDING):
        return target, ""
    path, _, name = target.rpartition(":")
    return (path, name) if path.endswith(ENDING) else None


def theorems_of(target: str) -> list[Theorem]:
    """The theorem of that name, or those of a user's Python file, which is executed.

    Raises StatementError where the file builds a theorem that is refused, BoundkitError where the file cannot
    be read or has none, and for an unknown name.
    """
    from boundkit.algebra.errors import unknown
    from boundkit.analysis.check.theorem_file import theorems_in
    from boundkit.theorems import theorem as named

    parts = file_and_name(target)
    if parts is None:
        return [named(target)]
    path, name = parts
    theorems = {theorem.name: theorem for theorem in theorems_in(path, KnownTheorems())}
    if name and name not in theorems:
        raise unknown(f"theorem of {path}", name, theorems)
    return [theorems[name]] if name else list(theorems.values())


def theorem_of(target: str) -> Theorem:
    """The one theorem that is meant. Raises BoundkitError as ``theorems_of``, and for a file with several."""
    from boundkit.algebra import BoundkitError

    theorems = theorems_of(target)
    if len(theorems) > 1:
        names = [theorem.name for theorem in theorems]
        raise BoundkitError(
            f"{target} defines {len(theorems)} theorems, {', '.join(names)}; name one, as in "
            f"{target}:{names[0]}."
        )
    return theorems[0]
