"""The fields of a JSON object: none unknown, none missing, none null where null has no meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown

_JSON_NAMES = {list: "a list", str: "a text", bool: "a truth value", type(None): "null"}


def checked_fields(
    what: str,
    spec: Any,
    required: tuple[str, ...],
    optional: tuple[str, ...],
    nullable: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The object as a dict; ``nullable`` fields may be null. Raises BoundkitError that names the field."""
    if not isinstance(spec, Mapping):
        raise BoundkitError(
            f"{what} must be a JSON object, but it is {_JSON_NAMES.get(type(spec), 'a number')}."
        )
    for name in spec:
        if name not in (*required, *optional):
            raise unknown(f"field of {what}", name, (*required, *optional))
    for name in required:
        if name not in spec:
            raise BoundkitError(f"{what} needs the field {name!r}.")
    for name, value in spec.items():
        if value is None and name not in nullable:
            raise BoundkitError(f"the field {name!r} of {what} is null; give it a value, or leave it out.")
    return dict(spec)
