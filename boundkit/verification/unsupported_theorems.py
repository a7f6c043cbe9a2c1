"""Theorems that no run can be compared with: unsupported algorithms, claims, assumptions, constants."""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.algebra.vocabulary import ASSUMPTIONS
from boundkit.analysis.formatting import joined
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.verification.claims import measurable
from boundkit.verification.constants import is_open
from boundkit.verification.families import FAMILIES

_OF_EVERY_RUN = frozenset({"m", "C", "T", "tau", "eta", "eta_s", "L", "mu", "sigma", "gap", "distance"})
"""The quantities that every run and its problem have values for; the families measure the others."""


def beyond(theorem: Theorem) -> list[str]:
    """The reasons why no run can be compared with the theorem; empty where one can.

    A user's own assumption is no reason: it is reported as not tested.
    """
    claim = theorem.claim
    reasons = []
    if theorem.algorithm not in ALGORITHMS:
        reasons.append(f"there is no {theorem.algorithm} to run")
    if not measurable(claim.observable, claim.summary, theorem.algorithm):
        reasons.append(f"the {claim.name} is not measured on runs")
    other = [a.name for a in theorem.assumptions if a.name in ASSUMPTIONS and a.name not in FAMILIES.rules]
    if other:
        reasons.append(f"no run is set up for {joined(other)}")
    supported = _OF_EVERY_RUN | set(FAMILIES.constants)
    missing = [q.name for q in theorem.quantities if q.name not in supported and not is_open(q.name)]
    if missing:
        reasons.append(f"{joined(missing)} {'is' if len(missing) == 1 else 'are'} not known of a run")
    return reasons
