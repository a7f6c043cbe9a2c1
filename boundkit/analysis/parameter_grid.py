"""A bound over two of its quantities: legal ranges, all else fixed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from sympy import Expr

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import ALPHABET, VECTORS
from boundkit.analysis.client_values import settled
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.parameters import Parameters, resolve
from boundkit.analysis.predict import Prediction
from boundkit.analysis.step_size import largest, largest_product, limit_at
from boundkit.analysis.step_size_rules import STEPS, under_rules
from boundkit.analysis.usual_ranges import usual_values
from boundkit.analysis.window import Window
from boundkit.report.formatting import join_names

Array = NDArray[np.float64]


def spanned(
    theorem: Theorem, x: str, y: str, given: Mapping[str, object]
) -> tuple[Theorem, Prediction, Window, dict[str, Expr]]:
    """The theorem with clients and rules put in, its prediction over x and y, their window, and the rules.

    Raises BoundkitError for two names that span nothing, and for lists of anything else.
    """
    _check_names(theorem, x, y)
    # Said aloud, so that a derived quantity (A_noise, say) is taken as it is and not made of the clients.
    said = {q.name: q.typical for q in theorem.definitions if q.name in (x, y)}
    rules = {name: given[name] for name in STEPS if isinstance(given.get(name), (str, Expr))}
    for name in {x, y} & set(rules):
        raise BoundkitError(f"{name} follows a rule, so it cannot be an axis as well.")
    numbers = {name: value for name, value in given.items() if name not in rules}
    vector = next((name for name in numbers if name in VECTORS), None)
    if vector is not None and "m" in (x, y):
        raise BoundkitError(f"{vector} holds one value for each client and so says m; m is no axis here.")
    alike, left = settled(theorem, {**said, **numbers}, free=(x, y))
    statement, _, written = under_rules(alike, rules)
    left = {name: value for name, value in left.items() if name in given or name not in said}
    quantities = {q.name: q for q in statement.quantities}
    for name in (x, y):
        if name not in quantities:
            listed = join_names(list(quantities)) if quantities else "nothing at all"
            raise BoundkitError(f"{theorem.name} does not depend on {name} here; it depends on {listed}.")
    others = {name: value for name, value in left.items() if name not in (x, y)}
    asked = resolve(statement, {**_axes(statement, (x, y), left), **others})
    xs, ys = (np.asarray(asked.values[name], dtype=np.float64) for name in (x, y))
    fixed = {name: float(value) for name, value in asked.values.items() if name not in (x, y)}
    window = Window(quantities[x], quantities[y], xs, ys, fixed)
    return statement, _predicted(statement, asked), window, written


def _check_names(theorem: Theorem, x: str, y: str) -> None:
    own = {q.name: q for q in theorem.quantities}
    for name in (x, y):
        if name in VECTORS:
            raise BoundkitError(f"{name} holds one value for each client, and a vector is never an axis.")
        if name not in {**ALPHABET, **own}:
            raise unknown(f"quantity of {theorem.name}", name, own)
    if x == y:
        raise BoundkitError(f"regimes spans two quantities, but {x} was given twice.")


def _axes(theorem: Theorem, names: tuple[str, str], given: Mapping[str, object]) -> dict[str, list[float]]:
    """The values of both axes: those given, rising, or usual ones that are legal beside all else."""
    missing = [name for name in names if name not in given]
    known = resolve(theorem, given, free=missing).values
    for name, value in known.items():
        if isinstance(value, np.ndarray) and name not in names:
            raise BoundkitError(f"{name} is a list, but regimes spans {join_names(names)} alone.")
    ranges: dict[str, list[float]] = {}
    for name in names:
        if name in given:
            ranges[name] = np.unique(known[name]).tolist()
            if len(ranges[name]) < 2:
                raise BoundkitError(
                    f"{name} was given as one value, but regimes spans {join_names(names)}; give it a range, "
                    f"as {name}=start:stop:count:log, or leave it out."
                )
    quantities = {q.name: q for q in theorem.quantities}
    for name in sorted(missing, key=lambda n: n != "m"):  # the clients first: shares of them come after
        others = {n: np.ravel(v).tolist() for n, v in known.items()}
        beside = {**others, **{n: ranges.get(n) for n in names if n != name}}
        ranges[name] = _allowed(theorem, quantities[name], usual_values(quantities[name], beside), known)
    return _jointly(theorem, {name: ranges[name] for name in names}, missing, known)


def _allowed(
    theorem: Theorem, quantity: Quantity, values: list[float], known: Mapping[str, float | Array]
) -> list[float]:
    """The values at which the formula means something, where that depends on nothing that varies too."""
    candidates = np.asarray(values)
    for relation in theorem.requires:
        names = {s.name for s in relation.free_symbols} - {quantity.name}
        if quantity in relation.free_symbols and all(np.ndim(known.get(n, candidates)) == 0 for n in names):
            met = satisfied(relation, {**known, quantity.name: candidates})
            candidates = candidates[np.broadcast_to(met, candidates.shape)]
    if candidates.size < 2:
        raise BoundkitError(
            f"fewer than two of the usual values of {quantity.name} are legal here; give it a range."
        )
    return [float(value) for value in candidates]


def _jointly(
    theorem: Theorem,
    ranges: dict[str, list[float]],
    missing: list[str],
    known: Mapping[str, float | Array],
) -> dict[str, list[float]]:
    """Usual values without those that are illegal beside some value of the other axis (T >= groups)."""
    both = set(ranges)
    for relation in theorem.requires:
        if not both <= {s.name for s in relation.free_symbols}:
            continue
        for name in missing:
            (other,) = both - {name}
            values = np.asarray(ranges[name])
            at = {**known, name: values[:, None], other: np.asarray(ranges[other])[None, :]}
            legal = np.broadcast_to(satisfied(relation, at), (values.size, len(ranges[other]))).all(axis=1)
            if not legal.all() and legal.sum() >= 2:
                ranges[name] = [float(value) for value in values[legal]]
    return ranges


def _predicted(theorem: Theorem, asked: Parameters) -> Prediction:
    """As ``predict``, but a term that is too large for a number is inf, and dominates."""
    grid = asked.grid()
    arrays = {t.label: np.broadcast_to(evaluate(t.expr, grid), asked.shape) for t in theorem.terms}
    product = largest_product(theorem)
    limit = np.broadcast_to(limit_at(largest(theorem), grid), asked.shape)
    together = None if product is None else np.broadcast_to(limit_at(product, grid), asked.shape)
    return Prediction(theorem, asked, arrays, (limit, together))
