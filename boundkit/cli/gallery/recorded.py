"""The record that a figure draws: read where it is there, made by its demonstration where it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boundkit.cli.gallery.asked import Asked

if TYPE_CHECKING:
    from boundkit.verify.demonstrated import Demonstrated

RECORDS = Path("out/records")
"""Where records are kept where nobody says."""


def recorded(asked: Asked, demonstration: str) -> tuple[Demonstrated, Path]:
    """The demonstration that a figure shows, and its record: ``--record FILE``, else in ``--records DIR``.

    A record in the folder that another version of boundkit wrote is made anew; a file that was named is
    drawn as it is. Raises BoundkitError where the file is a record of something else.
    """
    from boundkit.algebra import BoundkitError
    from boundkit.verify.demonstrated import demonstrate
    from boundkit.verify.files import refuse_unwritable
    from boundkit.verify.kept import is_of_today, keep, recalled

    named: Path | None = asked.options.get("record")
    file = named or Path(asked.options.get("records") or RECORDS) / f"{demonstration}.json"
    if named.is_file() if named else is_of_today(file):
        found = recalled(file)
        if found.name != demonstration:
            raise BoundkitError(f"{file} is a record of {found.name}, not of {demonstration}.")
        return found, file
    from boundkit.cli.progress import progress

    refuse_unwritable(file)
    with progress(demonstration) as tell:
        made = demonstrate(demonstration, progress=tell)
    return keep(made, file), file
