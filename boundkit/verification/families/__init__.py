"""The families of theorems: one file each, listed here.

A new family is a new file with a ``FAMILY`` and one entry of ``FAMILIES``. Where several families have
default instances or sweeps for one theorem, the first of the list decides.
"""

from __future__ import annotations

from boundkit.algebra import Theorem
from boundkit.simulation.run import Run
from boundkit.simulation.trajectory import Trajectory
from boundkit.verification.context import EvaluationContext
from boundkit.verification.families import (
    adaptive,
    asymptotic_bias,
    availability,
    byzantine,
    client_state,
    clipping,
    compression,
    cyclic,
    decaying_steps,
    drift_correction,
    drift_limit,
    episode,
    fedawe,
    general,
    gossip,
    local_sgd,
    local_solvers,
    lower_bounds,
    mifa,
    outer_optimisers,
    privacy,
    proximal,
    scaffnew,
    second_order,
    selection,
    shuffled,
    staleness,
    weighted_sampling,
)
from boundkit.verification.family import Families

FAMILIES = Families(
    (
        lower_bounds.FAMILY,
        general.FAMILY,
        shuffled.FAMILY,
        cyclic.FAMILY,
        episode.FAMILY,
        clipping.FAMILY,
        mifa.FAMILY,
        fedawe.FAMILY,
        asymptotic_bias.FAMILY,
        availability.FAMILY,
        weighted_sampling.FAMILY,
        selection.FAMILY,
        client_state.FAMILY,
        second_order.FAMILY,
        gossip.FAMILY,
        compression.FAMILY,
        privacy.FAMILY,
        scaffnew.FAMILY,
        byzantine.FAMILY,
        drift_correction.FAMILY,
        local_solvers.FAMILY,
        proximal.FAMILY,
        outer_optimisers.FAMILY,
        adaptive.FAMILY,
        staleness.FAMILY,
        drift_limit.FAMILY,
        decaying_steps.FAMILY,
        local_sgd.FAMILY,
    )
)


def context_of(theorem: Theorem, run: Run, recorded: Trajectory | None = None) -> EvaluationContext:
    """The context of a theorem on a run, with all families."""
    return EvaluationContext(theorem, run, recorded, FAMILIES)
