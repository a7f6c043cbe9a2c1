"""The closed library: all lemmas by name."""

from __future__ import annotations

from collections.abc import Mapping

from boundkit.proofs import (
    adaptive_server_step,
    averaged_models,
    clipped_steps,
    control_variates,
    group_cycles,
    lemmas,
    limit_points,
    local_solvers,
    stale_gradients,
    stored_updates,
    virtual_average,
    weighted_sampling,
)
from boundkit.proofs.lemmas import Lemma

MODULES = (
    lemmas,
    stored_updates,
    control_variates,
    weighted_sampling,
    adaptive_server_step,
    local_solvers,
    virtual_average,
    stale_gradients,
    clipped_steps,
    group_cycles,
    limit_points,
    averaged_models,
)  # fmt: skip
"""The modules of lemmas; one of a subject imports no other subject's."""

LEMMAS: Mapping[str, Lemma] = {
    value.name: value for module in MODULES for value in vars(module).values() if isinstance(value, Lemma)
}
"""All lemmas, by name."""
