"""Arguments of an exact worst case: given values, small defaults, and quantities that only the class has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.domain import WHOLE_TOLERANCE
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_DISSIMILARITY,
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    OPTIMUM_DISSIMILARITY,
    PARTIAL_PARTICIPATION,
    SMOOTH,
    STRONGLY_CONVEX,
    UNIFORM_DISSIMILARITY,
)

SMALL: dict[str, int] = {"m": 2, "tau": 2, "T": 2}
"""Default numbers of clients, local steps and rounds: the program grows fast with each of them."""

LIMIT_ROUNDS = 1e200
"""A number of rounds after which terms that decrease with T are 0."""

_CLASS_QUANTITIES = {
    SMOOTH.name: ("L",),
    STRONGLY_CONVEX.name: ("mu",),
    COMMON_STEPS.name: ("tau",),
    PARTIAL_PARTICIPATION.name: ("C",),
    BOUNDED_DISSIMILARITY.name: ("sigma_g",),
    CLIENTWISE_DISSIMILARITY.name: ("sigma_g",),
    UNIFORM_DISSIMILARITY.name: ("sigma_g",),
    BETA_KAPPA_DISSIMILARITY.name: ("beta", "kappa"),
    OPTIMUM_DISSIMILARITY.name: ("sigma_star",),
}
"""The quantities of an assumption, which a bound need not contain."""

_LOCAL_STEPS = ("tau", "tau_i", "a_i")
_VECTORS = ("tau_i", "p_i", "w_i", "a_i")
_CHOSEN = ("w_i", "tau_eff")


@dataclass(frozen=True)
class Query:
    """Values of a worst case: ``bound_values`` are those of ``predict``, ``class_values`` of the class alone.

    ``typical`` holds the typical values of all quantities of the class.
    """

    clients: int
    bound_values: Mapping[str, object]
    class_values: Mapping[str, float]
    typical: Mapping[str, float]


def read_query(theorem: Theorem, given: Mapping[str, object], at_fixed_point: bool) -> Query:
    """Return all values that a worst case needs, except for the largest step size.

    Raises BoundkitError for noise, for values that derive from the clients, for T at rest, and for values
    outside their domain.
    """
    _refuse(theorem, given, at_fixed_point)
    m, names = _clients(given), {q.name for q in theorem.quantities}
    small = {"m": m, "tau": SMALL["tau"], "T": LIMIT_ROUNDS if at_fixed_point else SMALL["T"], "C": 1 / m}
    class_names = dict.fromkeys(
        ["T", *(name for a in theorem.assumptions for name in _CLASS_QUANTITIES.get(a.name, ()))]
    )
    outside = [name for name in class_names if name not in names]
    bound_values = {name: value for name, value in given.items() if name not in outside and name != "m"}
    class_values = {n: _number(n, given.get(n, small.get(n, ALPHABET[n].typical))) for n in outside}
    whole = round(class_values.get("C", 1.0) * m)
    if whole < 1 or abs(whole - class_values.get("C", 1.0) * m) > WHOLE_TOLERANCE * m:
        raise BoundkitError(f"C = {class_values['C']:g} of m = {m} clients is no whole number of them.")
    if "sigma" in names:
        bound_values["sigma"] = 0
    for name in small:
        if name in names:
            bound_values.setdefault(name, small[name])
    if theorem.definitions and not any(name in given for name in _LOCAL_STEPS):
        bound_values["tau"] = SMALL["tau"]
    return Query(m, bound_values, class_values, {n: float(ALPHABET[n].typical) for n in class_names})


def _refuse(theorem: Theorem, given: Mapping[str, object], at_fixed_point: bool) -> None:
    if given.get("sigma", 0) != 0:
        raise BoundkitError(
            f"sigma = {given['sigma']!r} was given, but exact worst cases are those of full gradients: "
            "leave sigma out."
        )
    if at_fixed_point and "T" in given:
        raise BoundkitError("at rest T is infinite, so T must not be given.")
    chosen = _CHOSEN if theorem.algorithm == "fednova" else ()
    for quantity in theorem.definitions:
        if quantity.name in given and quantity.name not in chosen:
            raise BoundkitError(
                f"{quantity.name} was given, but here it follows from the clients; give tau_i and p_i."
            )


def _clients(given: Mapping[str, object]) -> int:
    """Return the number of clients, from the length of vectors where there are any."""
    for name in _VECTORS:
        vector = given.get(name)
        if isinstance(vector, (list, tuple)) and (name != "a_i" or isinstance(vector[0], (list, tuple))):
            return len(vector)
    return round(_number("m", given.get("m", SMALL["m"])))


def _number(name: str, value: object) -> float:
    """Check a value that predict does not check, since the bound does not contain it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BoundkitError(f"{name} = {value!r} was given, but it must be one number here.")
    complaint = ALPHABET[name].domain.complaint(value)
    if complaint:
        raise BoundkitError(f"{name} = {value!r} was given, but {complaint} ({ALPHABET[name].meaning}).")
    return float(value)
