"""What a question about time was asked with: values in their domains, axes, the data of each client."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from boundkit.algebra import BoundkitError, Quantity
from boundkit.algebra.domain import WHOLE_TOLERANCE
from boundkit.algebra.errors import unknown
from boundkit.analysis.runtime.notation import n_i
from boundkit.analysis.runtime.schemes import Scheme
from boundkit.analysis.runtime.total_time import Array
from boundkit.report.formatting import format_number

MOST_CLIENTS, MOST_STEPS = 10**9, 10**6


def sizes_of(scheme: Scheme, given: object, parameters: Mapping[str, object]) -> tuple[float, ...] | None:
    """The data points of each client, where they are given.

    Raises BoundkitError for a scheme that does not read them, and beside a common number of them.
    """
    if given is None:
        return None
    if scheme.name != "federated":
        raise BoundkitError(f"n_i holds the data points of every client; {scheme.name} does not read it.")
    if "samples" in parameters:
        raise BoundkitError("n_i holds the data points of every client; samples must not be given beside it.")
    items = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not items:
        raise BoundkitError("n_i = [] was given, but it needs the data points of at least one client.")
    return tuple(_number(n_i, item) for item in items)


def values_of(
    scheme: Scheme, given: Mapping[str, object], sizes: object
) -> tuple[dict[str, float | Array], tuple[str, ...], tuple[str, ...]]:
    """Every value by keyword, the names of the axes, and the names of what was assumed.

    Raises BoundkitError for an unknown name and a value outside its domain.
    """
    known = {q.name: q for q in scheme.letters if not (sizes is not None and q.name == "samples")}
    for name in given:
        if name not in known:
            raise unknown(f"parameter of {scheme.name}", str(name), [*known, "law"])
    values: dict[str, float | Array] = {}
    for name, quantity in known.items():
        # whoever lists the data of its clients means all of them
        usual = 1 if name == "C" and sizes is not None else quantity.typical
        asked = given.get(name, usual)
        if isinstance(asked, (list, tuple, range, np.ndarray)) and np.ndim(asked) > 0:
            if not len(asked):
                raise BoundkitError(f"{name} = [] was given, but an axis needs at least one value.")
            values[name] = np.array([_number(quantity, item) for item in asked])
        else:
            values[name] = _number(quantity, asked)
    axes = tuple(name for name in given if isinstance(values[name], np.ndarray))
    return values, axes, tuple(name for name in known if name not in given)


def _number(quantity: Quantity, given: object) -> float:
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.integer, np.floating)):
        raise BoundkitError(
            f"{quantity.name} = {given!r} was given, but it must be a number ({quantity.meaning})."
        )
    complaint = quantity.domain.complaint(given)
    if complaint:
        raise BoundkitError(
            f"{quantity.name} = {format_number(given)} was given, but {complaint} ({quantity.meaning})."
        )
    return float(round(given)) if quantity.domain.whole else float(given)


def check_point(scheme: Scheme, at: Mapping[str, float]) -> None:
    """Raise BoundkitError for a point that is too large, or at which C m is no whole number."""
    clients = at["m"]
    if clients > MOST_CLIENTS or at.get("tau", 1) > MOST_STEPS:
        raise BoundkitError(
            f"m = {format_number(clients)}, tau = {format_number(at.get('tau', 1))} were given, but m is "
            f"at most {MOST_CLIENTS} and tau at most {MOST_STEPS} here."
        )
    if scheme.name != "federated":
        return
    count = at["C"] * clients
    if abs(count - round(count)) > WHOLE_TOLERANCE * max(1.0, count) or round(count) < 1:
        raise BoundkitError(
            f"C = {format_number(at['C'])} and m = {format_number(clients)} make {format_number(count)} "
            "clients a round; C*m must be a whole number, at least 1."
        )
