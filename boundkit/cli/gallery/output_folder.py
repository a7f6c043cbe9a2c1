"""What a folder holds of a gallery, so that a second call goes on where the first was stopped."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.figures.gallery_page import SUFFIXES, Drawn

LIST = "gallery.json"
"""What was drawn in the folder, and of what."""


@dataclass(frozen=True)
class Wanted:
    """A figure to draw: the name of its files, what it shows, and the words after ``boundkit figure``.

    ``told`` are further words, of where its records are, that the command on the page does not need.
    """

    name: str
    shows: str
    line: tuple[str, ...]
    options: tuple[str, ...] = ()

    def command(self, preset: str) -> str:
        """What a user types for it."""
        chosen = () if preset == "presentation" else ("--preset", preset)
        return shlex.join(["boundkit", "figure", *self.line, *chosen])


class Shelf:
    """What a folder holds of a gallery: files, and of which words, preset and record they were drawn."""

    def __init__(self, folder: Path, preset: str, fresh: bool) -> None:
        """Take the folder, which is new, empty, or a gallery's.

        Raises BoundkitError where it holds something else, or cannot be written.
        """
        self.folder, self.preset, self.fresh = folder, preset, fresh
        self.file = folder / LIST
        self._refuse_foreign()
        try:
            listed = json.loads(read_text(self.file, MOST_RECORD))
        except (OSError, ValueError, RecursionError):
            listed = None
        self.listed: dict[str, Any] = listed if isinstance(listed, dict) else {}
        self._write()  # from now on the folder is a gallery's, wherever drawing is stopped

    def stored(self, one: Wanted) -> Drawn | None:
        """The figure where it is there, whole, and as it would be drawn now."""
        match self.listed.get(one.name):
            case {"of": of, "record": None | str() as stored, "fell_short": bool() as fell_short}:
                paths = tuple(self.folder / f"{one.name}{suffix}" for suffix in SUFFIXES)
                record = None if stored is None else Path(stored)
                if self.fresh or of != self._of(one) or not _younger(paths, record):
                    return None
                return Drawn(one.name, one.shows, one.command(self.preset), paths, fell_short)
        return None

    def put(self, one: Wanted, paths: Sequence[Path], record: Path | None, fell_short: bool) -> Drawn:
        """Say that the figure is finished."""
        self.listed[one.name] = {
            "of": self._of(one), "files": [path.name for path in paths],
            "record": None if record is None else str(record), "fell_short": fell_short,
        }  # fmt: skip
        self._write()
        return Drawn(one.name, one.shows, one.command(self.preset), tuple(paths), fell_short)

    def _refuse_foreign(self) -> None:
        from boundkit.algebra import BoundkitError
        from boundkit.simulation.atomic_files import remove_abandoned

        remove_abandoned(self.folder)
        if self.folder.is_dir() and not self.file.is_file():
            for present in sorted(path.name for path in self.folder.iterdir()):
                raise BoundkitError(
                    f"{self.folder} holds other things than a gallery, such as {present}; name a new folder."
                )

    def _write(self) -> None:
        from boundkit.simulation.atomic_files import replacing

        with replacing(self.file) as beside:
            beside.write_text(json.dumps(self.listed, indent=1) + "\n", encoding="utf-8")

    def _of(self, one: Wanted) -> list[str]:
        from boundkit.verification.record import versions

        return [*one.line, *one.options, self.preset, versions().get("boundkit", "")]


def _younger(paths: Sequence[Path], record: Path | None) -> bool:
    """Whether all files are there, and at least as young as the record, which must be there, too."""
    if not all(path.is_file() for path in (*paths, *([] if record is None else [record]))):
        return False
    return record is None or min(path.stat().st_mtime for path in paths) >= record.stat().st_mtime
