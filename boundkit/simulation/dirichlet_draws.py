"""Weights and inclusion probabilities drawn from Dirichlet distributions, for heterogeneous clients.

A client's label shares nu_i are drawn from a Dirichlet distribution of small concentration: few labels each.
Clients with rare labels then participate rarely: the inclusion probability is a function of the shares, as in
FedAWE (arXiv 2409.17446, appendix J.3) and FedAU (arXiv 2306.03401).
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import Array
from boundkit.simulation.json_fields import checked_fields

FLOOR = 0.02
"""FedAU's smallest inclusion probability."""
MEAN = 0.1
"""FedAU's mean inclusion probability, before the lower limit."""
_CONCENTRATION = 0.1
_LARGEST = 1e12


def label_shares(m: int, classes: int = 10, concentration: float = _CONCENTRATION, seed: int = 0) -> Array:
    """nu_i ~ Dirichlet(concentration) over the classes for every client, (m, classes); rows sum to 1.

    Raises BoundkitError unless m and classes are at least 1, and the concentration is above 0.
    """
    clients, kinds = _count("m", m, 1), _count("classes", classes, 1)
    return _dirichlet(np.random.default_rng(_count("seed", seed, 0)), kinds, concentration, clients)


def dirichlet_weights(m: int, concentration: float, seed: int = 0) -> Array:
    """Weights p ~ Dirichlet(concentration) over the clients, (m,), summing to 1.

    Raises BoundkitError unless m is at least 1 and the concentration above 0.
    """
    clients = _count("m", m, 1)
    return _dirichlet(np.random.default_rng(_count("seed", seed, 0)), clients, concentration)


def availability_from_labels(shares: Array, seed: int = 0, rule: str = "fedawe") -> Array:
    """The inclusion probability of each client, from its label shares (m, classes): (m,).

    ``fedawe``: p_i = <nu_i, phi>, phi_c ~ U(0, 1) for the first half of the classes (rounded up), U(0, 1/2)
    for the others. ``fedau``: p_i = max(0.02, 0.1 classes <nu_i, q>), q ~ Dirichlet(0.1), at most 1 (which
    binds above ten classes only). Raises BoundkitError for an unknown rule.
    """
    if rule not in RULES:
        raise unknown("rule of availability", rule, RULES)
    return RULES[rule](np.asarray(shares, dtype=np.float64), np.random.default_rng(_count("seed", seed, 0)))


def draw_weights(spec: Any, m: int) -> Array:
    """Weights from {"dirichlet": concentration, "seed": s}; the seed is 0 by default."""
    given = checked_fields("p", spec, ("dirichlet",), ("seed",))
    return dirichlet_weights(m, given["dirichlet"], given.get("seed", 0))


def draw_probabilities(spec: Any, m: int) -> Array:
    """Inclusion probabilities from {"dirichlet": concentration, "rule": "fedawe", "seed": 0, "classes": 10}.

    Only the concentration is required; the others show their defaults, and "fedau" is the other
    rule. Shares and rule use different streams of the same seed.
    """
    given = checked_fields("probabilities", spec, ("dirichlet",), ("rule", "seed", "classes"))
    rule, seed = given.get("rule", "fedawe"), _count("seed", given.get("seed", 0), 0)
    if not isinstance(rule, str):
        raise BoundkitError(f"rule must be a text, {' or '.join(map(repr, RULES))}, but it is {rule!r}.")
    shares = label_shares(m, given.get("classes", 10), given["dirichlet"], seed)
    return availability_from_labels(shares, int(np.random.SeedSequence(seed).generate_state(1)[0]), rule)


def is_random(spec: Any) -> bool:
    """Whether a field is an object that draws its numbers."""
    return isinstance(spec, Mapping)


def _fedawe(shares: Array, rng: np.random.Generator) -> Array:
    classes = shares.shape[1]
    top = np.where(np.arange(classes) < (classes + 1) // 2, 1.0, 0.5)
    return np.asarray(shares @ (top * rng.random(classes)))


def _fedau(shares: Array, rng: np.random.Generator) -> Array:
    classes = shares.shape[1]
    q = _dirichlet(rng, classes, _CONCENTRATION)
    return np.asarray(np.clip(MEAN * classes * (shares @ q), FLOOR, 1.0))


RULES: dict[str, Callable[[Array, np.random.Generator], Array]] = {"fedawe": _fedawe, "fedau": _fedau}
"""Rules from label shares to inclusion probabilities."""


def _dirichlet(rng: np.random.Generator, parts: int, concentration: Any, rows: int | None = None) -> Array:
    if isinstance(concentration, bool) or not isinstance(concentration, (int, float, np.number)):
        raise BoundkitError(f"dirichlet must be a number above 0, but it is {concentration!r}.")
    if not 0 < concentration <= _LARGEST:
        shown = reprlib.repr(concentration)
        raise BoundkitError(f"dirichlet must be above 0 and at most {_LARGEST:g}, but it is {shown}.")
    drawn = rng.dirichlet(np.full(parts, float(concentration)), rows)
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise BoundkitError(f"{name} must be a whole number of at least {least}, but it is {value!r}.")
    return int(value)
