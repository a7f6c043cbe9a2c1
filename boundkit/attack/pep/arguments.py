"""What is asked: the given values, small ones for what is missing, and what the bound does not feel."""

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
"""Clients, local steps and rounds where none are given: a program grows fast with each of them."""

FOR_EVER = 1e200
"""Rounds after which what falls with T is 0 beside anything."""

_SPOKEN = {
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
"""The letters in which an assumption speaks; a bound that does not hold them does not feel them."""

_WORK = ("tau", "tau_i", "a_i")
_VECTORS = ("tau_i", "p_i", "w_i", "a_i")
_CHOSEN = ("w_i", "tau_eff")


@dataclass(frozen=True)
class Asked:
    """``felt`` is what ``predict`` takes; ``unfelt`` what the class needs and the bound does not hold.

    ``typical`` holds the typical values of all that the class needs.
    """

    clients: int
    felt: Mapping[str, object]
    unfelt: Mapping[str, float]
    typical: Mapping[str, float]


def asked(theorem: Theorem, given: Mapping[str, object], at_rest: bool) -> Asked:
    """Everything that a worst case needs, but for the largest step.

    Raises BoundkitError for noise, for what follows from the clients, for T at rest, and for what the bound
    does not hold and is outside its domain.
    """
    _refuse(theorem, given, at_rest)
    m, known = _clients(given), {q.name for q in theorem.quantities}
    small = {"m": m, "tau": SMALL["tau"], "T": FOR_EVER if at_rest else SMALL["T"], "C": 1 / m}
    spoken = dict.fromkeys(["T", *(name for a in theorem.assumptions for name in _SPOKEN.get(a.name, ()))])
    outside = [name for name in spoken if name not in known]
    felt = {name: value for name, value in given.items() if name not in outside and name != "m"}
    unfelt = {n: _number(n, given.get(n, small.get(n, ALPHABET[n].typical))) for n in outside}
    whole = round(unfelt.get("C", 1.0) * m)
    if whole < 1 or abs(whole - unfelt.get("C", 1.0) * m) > WHOLE_TOLERANCE * m:
        raise BoundkitError(f"C = {unfelt['C']:g} of m = {m} clients is no whole number of them.")
    if "sigma" in known:
        felt["sigma"] = 0
    for name in small:
        if name in known:
            felt.setdefault(name, small[name])
    if theorem.definitions and not any(name in given for name in _WORK):
        felt["tau"] = SMALL["tau"]
    return Asked(m, felt, unfelt, {n: float(ALPHABET[n].typical) for n in spoken})


def _refuse(theorem: Theorem, given: Mapping[str, object], at_rest: bool) -> None:
    if given.get("sigma", 0) != 0:
        raise BoundkitError(
            f"sigma = {given['sigma']!r} was given, but exact worst cases are those of full gradients: "
            "leave sigma out."
        )
    if at_rest and "T" in given:
        raise BoundkitError("at rest T is infinite, so T must not be given.")
    chosen = _CHOSEN if theorem.algorithm == "fednova" else ()
    for quantity in theorem.definitions:
        if quantity.name in given and quantity.name not in chosen:
            raise BoundkitError(
                f"{quantity.name} was given, but here it follows from the clients; give tau_i and p_i."
            )


def _clients(given: Mapping[str, object]) -> int:
    """How many clients there are; vectors tell by their length, and predict refuses lengths that differ."""
    for name in _VECTORS:
        vector = given.get(name)
        if isinstance(vector, (list, tuple)) and (name != "a_i" or isinstance(vector[0], (list, tuple))):
            return len(vector)
    return round(_number("m", given.get("m", SMALL["m"])))


def _number(name: str, value: object) -> float:
    """A value that predict does not check, since the bound does not hold it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BoundkitError(f"{name} = {value!r} was given, but it must be one number here.")
    complaint = ALPHABET[name].domain.complaint(value)
    if complaint:
        raise BoundkitError(f"{name} = {value!r} was given, but {complaint} ({ALPHABET[name].meaning}).")
    return float(value)
