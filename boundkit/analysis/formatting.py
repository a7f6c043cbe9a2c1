"""Numbers, tables and JSON values, as every result shows them."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np


def shown(value: object) -> str:
    """A number in few digits, without loss where it is short.

    >>> shown(0.1), shown(1000.0), shown(1 / 3)
    ('0.1', '1000', '0.333333')
    """
    if isinstance(value, (int, np.integer)):
        return str(value) if abs(int(value)) < 10**21 else f"{Decimal(int(value)).normalize():.6g}"
    number = float(value)  # type: ignore[arg-type]
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:.6g}"


def clean(values: Any) -> Any:
    """Numbers, or nested lists of them, for JSON: what is not finite becomes None."""
    array = np.asarray(values)
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return array.tolist()
    objects = array.astype(object)
    objects[~np.isfinite(array)] = None
    return objects.tolist()


def table(header: Sequence[str], rows: Sequence[Sequence[object]], left: int = 1) -> str:
    """Aligned columns, each cell as its text: the first ``left`` to the left, the others to the right.

    >>> print(table(["term", "value"], [["gap", "0.4"], ["noise", "12"]]))
    term   value
    gap      0.4
    noise     12
    """
    lines = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def joined(names: Sequence[str]) -> str:
    """Names as a person lists them.

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
