"""Input of Hessians: a number, a diagonal, or a symmetric matrix for each client."""

from __future__ import annotations

from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import LARGEST
from boundkit.analysis.memory import refuse_larger
from boundkit.simulation.arrays import Array
from boundkit.simulation.validation import checked_array

_SYMMETRY = 1e-12


def hessians_of(given: Any, m: int, d: int) -> Array:
    """(m, d) where all are diagonal, (m, d, d) otherwise."""
    diagonal = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.shape == (m, d)
    if diagonal and (np.abs(given) <= LARGEST).all():  # else the refusal below names the client
        return np.array(given)
    try:
        entries = list(given)
    except TypeError:
        raise BoundkitError("H must be a list with one entry a client.") from None
    if len(entries) != m:
        raise BoundkitError(f"H has {len(entries)} entries, but e has {m} clients.")
    if set(map(type, entries)) <= {float}:  # one number for each of many clients, all at once
        numbers = np.array(entries)
        if (np.abs(numbers) <= LARGEST).all():  # else the refusal below names the client
            return np.repeat(numbers[:, None], d, axis=1)
    parts = [_one_hessian(i, h, d) for i, h in enumerate(entries)]
    if all(h.ndim == 1 for h in parts):
        return np.stack(parts)
    refuse_larger(24 * m * d**2, f"the list of {m:,} dense Hessians (d = {d:,})", "use fewer clients")
    return np.stack([np.diag(h) if h.ndim == 1 else h for h in parts])


def _one_hessian(i: int, given: Any, d: int) -> Array:
    name = f"H[{i}]"
    ndim = np.ndim(given) if not isinstance(given, (list, tuple)) else _depth(given)
    if ndim == 0:
        return np.full(d, float(checked_array(name, given, ())))
    if ndim == 1:
        return checked_array(name, given, (d,))
    h = checked_array(name, given, (d, d))
    scale = np.abs(h).max()
    skew = np.abs(h - h.T).max()
    if skew > _SYMMETRY * scale:
        raise BoundkitError(
            f"{name} must be symmetric, but entries across its diagonal differ by {skew:.3g}."
        )
    off = h - np.diag(np.diag(h))
    return np.diag(h).copy() if not off.any() else (h + h.T) / 2


def _depth(value: Any) -> int:
    return (
        1 + max((_depth(v) for v in value), default=0) if isinstance(value, (list, tuple)) else np.ndim(value)
    )
