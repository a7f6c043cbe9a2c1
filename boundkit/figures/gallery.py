"""The figures by name, for ``boundkit figure NAME``."""

from __future__ import annotations

from boundkit.algebra.errors import unknown

GALLERY: dict[str, str] = {
    "bound_against_run": "a theorem's bound, by cause, and what a run measured, at every horizon",
    "terms": "predicted terms against one parameter or two",
}
"""What each figure shows. The file of that name draws it."""


def known(name: str) -> str:
    """The name itself.

    Raises BoundkitError for a name that is not in the gallery.
    """
    if name not in GALLERY:
        raise unknown("figure", name, GALLERY)
    return name
