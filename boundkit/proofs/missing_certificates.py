"""Why a theorem of the catalogue has no certificate: by its kind, its claim or its assumptions."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import log

from boundkit.algebra import Theorem
from boundkit.theorems.catalogue import MACHINE_CHECKED, proof_status

_BY_KIND: Mapping[str, str] = {
    "order": "no proof in the catalogue: it is stated up to constants",
    "lower": "a lower bound by an instance, not an inequality for every run",
}
_BY_CLAIM: Mapping[str, str] = {
    "distance in the limit": "a fixed point; the lemmas are about single rounds",
    "mean loss gap at the averages of the local models": "its sums over the local steps of a round and over "
    "rounds with momentum have no lemma",
    "last distance": "a recursion of distances with their first powers; the lemmas are about squares",
}
_BY_ALGORITHM: Mapping[str, str] = {
    "accelerated_local_sgd": "its momentum couples two sequences, with weights of the rounds or a rate that "
    "has a power 1/tau; the checker sums means over rounds and rates that are rational functions",
    "feddyn": "what contracts is the distance of other variables than the model's, over T - 1 rounds after "
    "a first solve",
    "gossip_sgd": "no lemma on the spread that earlier rounds leave, whose weight has a root of tau (tau - "
    "1)/2",
}
_BY_ASSUMPTIONS: Mapping[tuple[str, ...], str] = {
    (
        "biased-selection",
    ): "with random selection its comparison at the mean of the local models has a gap: see its errata",
    ("inexact-proximal-minimisers",): "no lemma on proximal steps",
    ("bounded-absence", "bounded-noise"): "the lemmas on stored noise are about means over rounds, and a "
    "contraction weighs the rounds",
}
OTHERWISE = "no certificate has been written"


def why_unproved(theorem: Theorem) -> str:
    """Return why a theorem is not machine-checked.

    >>> from boundkit.theorems import theorem
    >>> why_unproved(theorem("fedavg_strongly_convex_drift_limit_lower"))
    'a lower bound by an instance, not an inequality for every run'
    """
    if theorem.kind in _BY_KIND:
        return _BY_KIND[theorem.kind]
    if theorem.claim.name in _BY_CLAIM:
        return _BY_CLAIM[theorem.claim.name]
    if any(rule.has(log) for rule in theorem.rules.values()):
        return "its step size has a logarithm, and only rational functions and roots are substituted"
    reasons = [why for name, why in _BY_ALGORITHM.items() if theorem.algorithm == name]
    reasons += [why for names, why in _BY_ASSUMPTIONS.items() if theorem.assumes(*names)]
    return reasons[0] if reasons else OTHERWISE


def status_sentence(theorem: Theorem) -> str:
    """Return a sentence on whether a theorem is machine-checked, with the reason where it is not."""
    if proof_status(theorem) == MACHINE_CHECKED:
        return f"{theorem.name} is machine-checked."
    return f"{theorem.name} is not machine-checked: {why_unproved(theorem)}."
