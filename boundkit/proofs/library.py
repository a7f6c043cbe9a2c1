"""The closed library: all lemmas by name."""

from __future__ import annotations

from collections.abc import Mapping

from boundkit.proofs import (
    adaptive_server_step,
    averaged_models,
    clipped_steps,
    compressed_messages,
    control_variates,
    exchanged_models,
    group_cycles,
    lemmas,
    limit_points,
    local_solvers,
    mean_gradients,
    robust_aggregation,
    server_momentum,
    similar_solver,
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
    robust_aggregation,
    server_momentum,
    compressed_messages,
    mean_gradients,
    exchanged_models,
    similar_solver,
)  # fmt: skip
"""The modules of lemmas; one of a subject imports no other subject's."""

LEMMAS: Mapping[str, Lemma] = {
    value.name: value for module in MODULES for value in vars(module).values() if isinstance(value, Lemma)
}
"""All lemmas, by name."""
