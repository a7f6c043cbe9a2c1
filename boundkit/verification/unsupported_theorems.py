"""What a theorem speaks of that nothing here can run, whatever the run is."""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.algebra.vocabulary import ASSUMPTIONS
from boundkit.analysis.formatting import joined
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.verification.assumed import RULES
from boundkit.verification.claims import measurable
from boundkit.verification.constants import is_open
from boundkit.verification.quantities import KNOWN

MEASURED = frozenset({"m", "C", "T", "tau", "eta", "eta_s", "L", "mu", "sigma", "gap", "distance"})
"""The quantities that every run and its problem have values for; the others are in quantities.KNOWN."""


def beyond(theorem: Theorem) -> list[str]:
    """Why no run can be held against the theorem; empty where one can.

    An assumption that a user made up is no reason: it is reported as not tested.
    """
    claim = theorem.claim
    reasons = []
    if theorem.algorithm not in ALGORITHMS:
        reasons.append(f"there is no {theorem.algorithm} to run")
    if not measurable(claim.observable, claim.summary, theorem.algorithm):
        reasons.append(f"the {claim.name} is not measured on runs")
    other = [a.name for a in theorem.assumptions if a.name in ASSUMPTIONS and a.name not in RULES]
    if other:
        reasons.append(f"no run is set up for {joined(other)}")
    missing = [
        q.name for q in theorem.quantities if q.name not in MEASURED | set(KNOWN) and not is_open(q.name)
    ]
    if missing:
        reasons.append(f"{joined(missing)} {'is' if len(missing) == 1 else 'are'} not known of a run")
    return reasons
